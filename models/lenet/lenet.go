package lenet

import (
	"cmp"

	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/nn"
)

// Config describes the network.
type Config struct {
	// Channels is the number of input channels; 0 means 1. Grey images are repeated
	// over them.
	Channels int
	// Widths are the channels behind the three convolutions; the zero value means those of
	// LeNet-5: 6, 16, 120.
	Widths [3]int
	// Head is put on the last of them; the zero value means no head.
	Head mlp.Config
}

// kernel is the side of the first two convolutions.
const kernel = 5

// Apply puts the network on images x [N][H][W] with values in 0..1 and returns the
// logits of the head, or without one the features [N][Widths[2]]. Images are square.
// Parameters: conv1 to conv3, bn1 to bn3 and head, as package nn names them.
func Apply[T nn.Float](b *nn.Builder[T], x *gorgonia.Node, c Config) *gorgonia.Node {
	c.Widths = cmp.Or(c.Widths, [3]int{6, 16, 120})
	x = b.Images("input", x, max(1, c.Channels))
	x = b.Conv("conv1", x, nn.Conv{Out: c.Widths[0], Kernel: kernel, Stride: 1, Pad: kernel / 2})
	x = b.BatchNorm("bn1", x, nn.BatchNorm{ReLU: true})
	x = b.MaxPool("pool1", x, 2, 2, 0)
	x = b.Conv("conv2", x, nn.Conv{Out: c.Widths[1], Kernel: kernel, Stride: 1})
	x = b.BatchNorm("bn2", x, nn.BatchNorm{ReLU: true})
	x = b.MaxPool("pool2", x, 2, 2, 0)
	whole := 0
	if x != nil {
		if whole = x.Shape()[0]; whole != x.Shape()[1] {
			return b.Fail("input", "images that are not square; pad or scale them")
		}
	}
	x = b.Conv("conv3", x, nn.Conv{Out: c.Widths[2], Kernel: whole, Stride: 1})
	x = b.BatchNorm("bn3", x, nn.BatchNorm{ReLU: true})
	x = b.GlobalAvgPool("flatten", x) // of one pixel
	if c.Head.Out == 0 {
		return x
	}
	return mlp.Apply(b, "head", x, c.Head)
}

// Define is Apply as a definition.
func Define[T nn.Float](c Config) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node { return Apply(b, x, c) }
}
