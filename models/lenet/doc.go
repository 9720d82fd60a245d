// Package lenet defines small convolutional networks for digits after LeNet-5
// (LeCun et al. 1998, section II.B),
//
//	5×5 convolution, pad 2; 2×2 max pool
//	5×5 convolution; 2×2 max pool
//	convolution over the whole map (5×5 for 28×28 images)
//	perceptron (package mlp)
//
// with what came later: batch normalisation and ReLU behind every convolution, max
// pools where LeNet-5 averages, no table of which maps the second layer sees.
//
//	net, err := nn.New([]int{28, 28}, lenet.Define[float32](lenet.Config{Head: mlp.Config{Hidden: []int{84}, Out: 10}}), rng)
//	logits, err := net.Forward(images, n)    // [n][10]
//
// Package nn reports the errors: an image too small for the layers, a batch of one image in
// training. Networks are used as package nn says.
package lenet
