package nn

import (
	"math/rand/v2"

	"gorgonia.org/gorgonia"
)

// Dropout sets each element to 0 with probability p and multiplies the others
// by 1/(1-p), in training graphs; it returns x itself in evaluation graphs or
// for p = 0. The mask is a function of the network's State and the name.
func (b *Builder[T]) Dropout(name string, x *gorgonia.Node, p float64) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	if !(p >= 0 && p < 1) {
		b.Fail(name, "dropout probability %v is not in [0, 1)", p)
		return nil
	}
	if p == 0 || !b.Training {
		return x
	}
	shape := x.Shape()
	mask := make([]T, size(shape)) // 0 or 1/(1-p)
	keep := T(1 / (1 - p))
	// An element is dropped when a uniform 64-bit number is below p·2^64.
	limit := uint64(p * (1 << 63) * 2)
	pcg, purpose := rand.NewPCG(0, 0), purposeOf("dropout "+name)
	o := &op[T]{
		name: "dropout " + name,
		run: func(in [][]T, out []T) error {
			b.state.stream(pcg, purpose)
			for i, v := range in[0] {
				mask[i] = keep
				if pcg.Uint64() < limit {
					mask[i] = 0
				}
				out[i] = v * mask[i]
			}
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx dropout "+name, shape, func(in [][]T, out []T) error {
			for i, g := range in[0] {
				out[i] = g * mask[i]
			}
			return nil
		}, dy)}
	}
	return b.apply(o, shape, x)
}
