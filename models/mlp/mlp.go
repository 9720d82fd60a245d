package mlp

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Config describes a perceptron. With the zero value it is one linear layer to
// zero outputs, which is refused: Out is required.
type Config struct {
	// Hidden lists the widths of the hidden layers; each is followed by ReLU
	// and dropout.
	Hidden []int
	// Out is the width of the last layer, which has neither.
	Out int
	// Dropout is the probability in [0, 1) of dropping a hidden unit in
	// training; 0 means none.
	Dropout float64
}

// Apply puts the perceptron on x [N][In] and returns [N][Out]. Its parameters
// are prefix.0.weight, prefix.0.bias, prefix.1.weight, …: [out, in] and [out],
// both U(-1/√in, 1/√in) as PyTorch's linear layer.
func Apply[T nn.Float](b *nn.Builder[T], prefix string, x *gorgonia.Node, c Config) *gorgonia.Node {
	for i, width := range c.Hidden {
		name := fmt.Sprintf("%s.%d", prefix, i)
		x = b.Linear(name, x, width)
		x = b.ReLU(name, x)
		x = b.Dropout(name, x, c.Dropout)
	}
	return b.Linear(fmt.Sprintf("%s.%d", prefix, len(c.Hidden)), x, c.Out)
}

// Define is Apply as a definition.
func Define[T nn.Float](prefix string, c Config) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node { return Apply(b, prefix, x, c) }
}
