// Package resnet18 defines the backbone of the paper's MNIST-Addition
// experiments, the 18-layer residual network of He et al. (2016) as torchvision
// builds it, with an optional perceptron head.
//
//	stem:   7×7 convolution, stride 2, pad 3; batch norm; ReLU; 3×3 max pool, stride 2, pad 1
//	stages: 4 × 2 basic blocks of two 3×3 convolutions, 64, 128, 256, 512 channels,
//	        the first block of stages 2 to 4 with stride 2 and a 1×1 projection
//	top:    global average, Linear to 128 features
//	head:   Linear 64, ReLU, dropout, Linear 10 (MNISTAddition)
//
// On a 28×28 image the maps have sides 14, 7, 7, 4, 2 and 1; eight of the nine
// taps of the last three convolutions then only ever meet padding, and their
// weights keep their initial values (see nn.Param.Live).
//
// Names, shapes and initial distributions are torchvision's ("conv1.weight",
// "layer2.0.downsample.1.running_var", …; the num_batches_tracked counters are
// left out), so weights can be exchanged through nn.Params. The head's names
// start with "head.".
//
// Define is the definition of a network for nn.New; Apply puts it into a larger one. Errors
// come from package nn: an image too small for the stem, a batch of one image in training,
// where batch normalisation has one value per channel.
package resnet18
