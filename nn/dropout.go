package nn

import (
	"math/rand/v2"

	"gorgonia.org/gorgonia"
)

// Dropout sets each element to 0 with probability p and multiplies the others
// by 1/(1-p), in training graphs; it returns x itself in evaluation graphs or
// for p = 0. The mask is a function of the network's State and the name: two
// dropouts of one name and size drop the same elements.
func (b *Builder[T]) Dropout(name string, x *gorgonia.Node, p float64) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	if !(p >= 0 && p < 1) {
		return b.Fail(name, "dropout probability %v is not in [0, 1)", p)
	}
	if p == 0 || !b.Training {
		return x
	}
	mask := make([]T, size(x.Shape())) // 0 or 1/(1-p)
	keep := T(1 / (1 - p))
	// An element is dropped when a uniform 64-bit number is below p·2^64.
	limit := uint64(p * (1 << 63) * 2)
	pcg, purpose := rand.NewPCG(0, 0), purposeOf("dropout "+name)
	return b.unary("dropout "+name, x, x.Shape(), func(x, y []T) error {
		b.state.stream(pcg, purpose)
		for i, v := range x {
			mask[i] = keep
			if pcg.Uint64() < limit {
				mask[i] = 0
			}
			y[i] = v * mask[i]
		}
		return nil
	}, 0, func(dy, _, _, dx []T) {
		for i, g := range dy {
			dx[i] = g * mask[i]
		}
	})
}
