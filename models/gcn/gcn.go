package gcn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Graph holds the inputs of the networks about a graph with N nodes.
type Graph[T nn.Float] struct {
	// Features is X [N × words], Propagation is S [N × N].
	Features, Propagation *nn.Sparse[T]
}

// Config describes a network.
type Config struct {
	// Hidden is H, Out the number of classes.
	Hidden, Out int
	// Dropout is the probability in [0, 1) of dropping an entry of X and of the hidden
	// layer. DropNodes, if not 0, is the probability of dropping all entries of a node; single
	// entries of X are then not dropped (Feng et al., 2020).
	Dropout, DropNodes float64
	// Steps is K and Teleport α of Propagation; Convolution does not use them.
	Steps    int
	Teleport float64
}

// drop returns the dropout of X.
func (c Config) drop() nn.Drop {
	if c.DropNodes != 0 {
		return nn.Drop{Rows: c.DropNodes}
	}
	return nn.Drop{Entries: c.Dropout}
}

// Convolution puts a graph convolutional network with one hidden layer on b and
// returns its logits [N][Out]. Parameters: prefix.0.weight, .bias, prefix.1.….
func Convolution[T nn.Float](b *nn.Builder[T], prefix string, g Graph[T], c Config) *gorgonia.Node {
	h := b.SparseLinear(prefix+".0", g.Features, c.Hidden, c.drop())
	h = b.Propagate(prefix+".0", g.Propagation, h, 1, 0)
	h = b.Dropout(prefix+".1", b.ReLU(prefix+".0", h), c.Dropout)
	return b.Propagate(prefix+".1", g.Propagation, b.Linear(prefix+".1", h, c.Out), 1, 0)
}

// Propagation puts a perceptron and personalised propagation of its logits on b.
func Propagation[T nn.Float](b *nn.Builder[T], prefix string, g Graph[T], c Config) *gorgonia.Node {
	return b.Propagate(prefix+".1", g.Propagation, Perceptron(b, prefix, g, c), c.Steps, c.Teleport)
}

// Perceptron puts a perceptron with one hidden layer, or none for Hidden 0, on the
// features of each node alone. Parameters as for Convolution.
func Perceptron[T nn.Float](b *nn.Builder[T], prefix string, g Graph[T], c Config) *gorgonia.Node {
	if c.Hidden == 0 {
		return b.SparseLinear(prefix+".0", g.Features, c.Out, c.drop())
	}
	h := b.SparseLinear(prefix+".0", g.Features, c.Hidden, c.drop())
	h = b.Dropout(prefix+".1", b.ReLU(prefix+".0", h), c.Dropout)
	return b.Linear(prefix+".1", h, c.Out)
}
