package resnet18

import (
	"cmp"
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/nn"
)

// Config describes the backbone and the optional head.
type Config struct {
	// Channels is the number of input channels, 1 or 3; 0 means 1. Grey images
	// are repeated over the channels.
	Channels int
	// Features is the number of outputs of the last linear layer fc; 0 means
	// 128.
	Features int
	// Widths are the channels of the four stages; the zero value means 64, 128,
	// 256, 512. The stem has Widths[0] channels.
	Widths [4]int
	// Head is put on the features; the zero value means no head.
	Head mlp.Config
}

// MNISTAddition is the network of the paper's MNIST-Addition experiments:
// ResNet18 to 128 features, then Linear 64, ReLU, dropout, Linear 10. The
// published runs use 3 channels and dropout 0.
func MNISTAddition(channels int, dropout float64) Config {
	return Config{Channels: channels, Head: mlp.Config{Hidden: []int{64}, Out: 10, Dropout: dropout}}
}

// WithDefaults returns c with zero values replaced by their defaults.
func (c Config) WithDefaults() Config {
	c.Channels, c.Features = cmp.Or(c.Channels, 1), cmp.Or(c.Features, 128)
	c.Widths = cmp.Or(c.Widths, [4]int{64, 128, 256, 512})
	return c
}

// Apply puts the network on images x [N][H][W] with values in 0..1 and returns
// the features [N][Features], or the logits of the head.
func Apply[T nn.Float](b *nn.Builder[T], x *gorgonia.Node, c Config) *gorgonia.Node {
	c = c.WithDefaults()
	x = b.Images("input", x, c.Channels)
	x = b.Conv("conv1", x, nn.Conv{Out: c.Widths[0], Kernel: 7, Stride: 2, Pad: 3})
	x = b.BatchNorm("bn1", x, nn.BatchNorm{ReLU: true})
	x = b.MaxPool("maxpool", x, 3, 2, 1)
	for i, width := range c.Widths {
		stride := 2
		if i == 0 {
			stride = 1
		}
		x = basicBlock(b, fmt.Sprintf("layer%d.0", i+1), x, width, stride, i > 0)
		x = basicBlock(b, fmt.Sprintf("layer%d.1", i+1), x, width, 1, false)
	}
	x = b.GlobalAvgPool("avgpool", x)
	x = b.Linear("fc", x, c.Features)
	if c.Head.Out == 0 {
		return x
	}
	return mlp.Apply(b, "head", x, c.Head)
}

// Define is Apply as a definition.
func Define[T nn.Float](c Config) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node { return Apply(b, x, c) }
}

// basicBlock is two 3×3 convolutions with batch normalisation and a shortcut:
// the identity, or a strided 1×1 convolution where the shape changes.
func basicBlock[T nn.Float](b *nn.Builder[T], name string, x *gorgonia.Node, width, stride int, project bool) *gorgonia.Node {
	y := b.Conv(name+".conv1", x, nn.Conv{Out: width, Kernel: 3, Stride: stride, Pad: 1})
	shortcut := b.Skip(name+".shortcut", x, y)
	y = b.BatchNorm(name+".bn1", y, nn.BatchNorm{ReLU: true})
	y = b.Conv(name+".conv2", y, nn.Conv{Out: width, Kernel: 3, Stride: 1, Pad: 1})
	if project {
		shortcut = b.Conv(name+".downsample.0", shortcut, nn.Conv{Out: width, Kernel: 1, Stride: stride})
		shortcut = b.BatchNorm(name+".downsample.1", shortcut, nn.BatchNorm{})
	}
	return b.BatchNorm(name+".bn2", y, nn.BatchNorm{ReLU: true, Residual: shortcut})
}
