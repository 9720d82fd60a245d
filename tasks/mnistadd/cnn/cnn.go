// Package cnn is the purely neural baseline of MNIST-Addition: a network that
// classifies an addition by its sum directly, without knowing what a sum is.
//
//	ResNet18 on each image → 128 features an image, side by side
//	  → Linear 64, ReLU, dropout → Linear to 2·10^d − 1 sums
//
// All images share the backbone, which the other systems have too; only the head differs.
// The loss is the cross entropy of the sum, nn's CrossEntropy:
//
//	logits := cnn.Apply(b, x, cnn.Config{Images: 4, Sums: cnn.Sums(2)})
//	loss := b.CrossEntropy("loss", logits, sums, nil)
//
// Apply reports shapes that do not fit through its Builder. There is no state.
package cnn

import (
	"math"

	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/nn"
)

// MaxDigits is the largest number of digits whose sums are few enough to be
// classes.
const MaxDigits = 4

// Sums returns the number of sums of two d-digit numbers.
func Sums(digits int) int { return 2*int(math.Pow10(digits)) - 1 }

// Config describes the network.
type Config struct {
	// Images is the number of images of an addition, Sums the number of its classes.
	Images, Sums int
	// Backbone is the network on each image, without a head.
	Backbone resnet18.Config
	// Dropout is the head's probability.
	Dropout float64
}

// Apply puts the network on additions x [N][Images·H][W], the images of one
// addition below each other, and returns the logits, one of each sum.
func Apply[T nn.Float](b *nn.Builder[T], x *gorgonia.Node, c Config) *gorgonia.Node {
	shape := x.Shape()
	n, h, w := shape[0], shape[1]/max(1, c.Images), shape[2]
	x = b.Reshape("images", x, n*c.Images, h, w)
	c.Backbone.Head = mlp.Config{}
	x = resnet18.Apply(b, x, c.Backbone)
	if x == nil {
		return nil // the builder keeps the reason
	}
	x = b.Reshape("addition", x, n, x.Shape().TotalSize()/n)
	return mlp.Apply(b, "sum", x, mlp.Config{Hidden: []int{64}, Out: c.Sums, Dropout: c.Dropout})
}
