package nn

import "gorgonia.org/gorgonia"

// Sampling describes how logits become beliefs.
type Sampling struct {
	// Draws is the number of Gumbel-softmax samples in training, whose temperatures grow
	// up to Spread times the lowest and whose noise up to Noise times the usual one (see
	// Builder.GumbelSoftmax); 0 is a plain softmax. A Spread or Noise of 0 means 1.
	Draws         int
	Spread, Noise float64
	// NoisyTest leaves one sample on in evaluation.
	NoisyTest bool
}

// Beliefs returns the definition of a network that ends in a softmax, called output,
// over the logits N×C of another: K×N×C beliefs in training with K draws, N×C else.
func Beliefs[T Float](logits Definition[T], s Sampling) Definition[T] {
	return func(b *Builder[T], x *gorgonia.Node) *gorgonia.Node { return b.beliefs("output", logits(b, x), s) }
}

// beliefs is the softmax of logits, or draws of it.
func (b *Builder[T]) beliefs(name string, z *gorgonia.Node, s Sampling) *gorgonia.Node {
	switch {
	case b.Training && s.Draws > 0:
		return b.GumbelSoftmax(name, z, s)
	case !b.Training && s.NoisyTest:
		return b.GumbelSoftmax(name, z, Sampling{Draws: 1})
	}
	return b.Softmax(name, z)
}
