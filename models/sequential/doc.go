// Package sequential makes networks of a list of layers, such as a model file may hold:
//
//	layers := []sequential.Layer{{Kind: "conv", Out: 16}, {Kind: "norm"}, {Kind: "relu"}, {Kind: "pool"}, {Kind: "average"}}
//	steps, err := sequential.Plan(layers, []int{28, 28}, 10)   // shapes and parameters, before anything is made
//	net, err := nn.New([]int{28, 28}, sequential.Define[float32](layers, 10), rng)
//
// Each layer works on what the one before it leaves: images {height, width} or
// {channels, height, width}, a vector {width}, or a sequence {length, width}, which the layer
// sequence makes of a vector. Images are a vector where linear or sequence comes before conv, pool
// and average. A linear layer to the outputs, the logits, is added at the end and sees
// a vector.
//
//	conv       convolution to Out channels with a square kernel of Size (3), Stride (1) and
//	           Padding (Size/2) pixels of zeros on each side, with a bias unless norm
//	           follows: images
//	norm       batch normalisation of each channel or feature: images, vectors
//	relu       max(x, 0)
//	pool       maximum of squares of Size (2), Stride (Size) pixels apart: images
//	average    mean over the pixels or positions, which leaves a vector: images, sequences
//	linear     linear layer to Out features: vectors, and each position of a sequence
//	dropout    sets a feature to 0 with Probability in training, and scales the others
//	sequence   cuts a vector into Length parts
//	attention  x + W·softmax(QKᵀ/√d)·V over the positions of a sequence of width d, with
//	           linear layers Q, K, V and W
//
// The parameters of layer number i, from 0, are i.weight and i.bias (for attention i.q.weight, …), those
// of the last layer out.weight and out.bias.
//
// A list that does not fit its input is an error that names the layer, from 1, and the shape that it
// meets.
package sequential
