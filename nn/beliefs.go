package nn

import "gorgonia.org/gorgonia"

// Sampling says how a network of logits becomes one of beliefs.
type Sampling struct {
	// Draws is the number of Gumbel-softmax samples in training, of temperatures that
	// grow geometrically up to Spread times the lowest (see Builder.GumbelSoftmax); 0
	// is a plain softmax. A Spread of 0 means 1.
	Draws  int
	Spread float64
	// NoisyTest leaves one sample on in evaluation.
	NoisyTest bool
}

// Beliefs returns the definition of a network that ends in a softmax, called output,
// over the logits N×C of another: K×N×C beliefs in training with K draws, N×C else.
func Beliefs[T Float](logits Definition[T], s Sampling) Definition[T] {
	if s.Spread == 0 {
		s.Spread = 1
	}
	return func(b *Builder[T], x *gorgonia.Node) *gorgonia.Node {
		z := logits(b, x)
		switch {
		case b.Training && s.Draws > 0:
			return b.GumbelSoftmax("output", z, s.Draws, s.Spread)
		case !b.Training && s.NoisyTest:
			return b.GumbelSoftmax("output", z, 1, 1)
		}
		return b.Softmax("output", z)
	}
}
