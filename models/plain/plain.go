// Package plain defines a convolutional network for digits that neither pads nor pools, the network
// M5 of An, Lee, Park, Yang and So, An Ensemble of Simple Convolutional Neural Network Models for
// MNIST Digit Recognition (2020), with half of its channels:
//
//	five 5×5 convolutions without padding, each with batch normalisation and ReLU
//	convolution over the whole map (8×8 for 28×28 images), one channel an output
//	batch normalisation, which gives the logits
//
//	net, err := nn.New([]int{28, 28}, plain.Define[float32](plain.Config{Out: 10}), rng)
//	logits, err := net.Forward(images, n)    // [n][10]
//
// It misreads fewer digits than package lenet's, in many times the time.
//
// Package nn reports the errors: an image too small for the layers, a batch of one image in
// training. Networks are used as package nn says.
package plain

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Config describes the network.
type Config struct {
	// Channels is the number of input channels; 0 means 1. Grey images are repeated
	// over them.
	Channels int
	// Widths are the channels behind the 5×5 convolutions; nil means 16, 32, 48, 64, 80.
	Widths []int
	// Dropout is the probability in [0, 1) of dropping an input of the last convolution in
	// training.
	Dropout float64
	// Out is the number of outputs, at least 1.
	Out int
}

// Apply puts the network on images x [N][H][W] with values in 0..1 and returns the logits
// [N][Out]. Images are square. Parameters: conv1, bn1 and so on, and head, bn, as package nn
// names them.
func Apply[T nn.Float](b *nn.Builder[T], x *gorgonia.Node, c Config) *gorgonia.Node {
	if c.Widths == nil {
		c.Widths = []int{16, 32, 48, 64, 80}
	}
	x = b.Images("input", x, max(1, c.Channels))
	for i, w := range c.Widths {
		x = b.Conv(fmt.Sprintf("conv%d", i+1), x, nn.Conv{Out: w, Kernel: 5})
		x = b.BatchNorm(fmt.Sprintf("bn%d", i+1), x, nn.BatchNorm{ReLU: true})
	}
	whole := 0
	if x != nil {
		if whole = x.Shape()[0]; whole != x.Shape()[1] {
			return b.Fail("input", "images that are not square; pad or scale them")
		}
	}
	x = b.Conv("head", b.Dropout("dropout", x, c.Dropout), nn.Conv{Out: c.Out, Kernel: whole})
	x = b.BatchNorm("bn", x, nn.BatchNorm{})
	return b.GlobalAvgPool("flatten", x) // of one pixel
}

// Define is Apply as a definition.
func Define[T nn.Float](c Config) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node { return Apply(b, x, c) }
}
