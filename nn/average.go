package nn

import (
	"slices"

	"gorgonia.org/gorgonia"
)

// Average computes the mean of nodes of one shape: the output of an ensemble.
func (b *Builder[T]) Average(name string, xs ...*gorgonia.Node) *gorgonia.Node {
	if b.failed(name, xs...) {
		return nil
	}
	if len(xs) == 0 {
		return b.Fail(name, "an average of nothing")
	}
	if len(xs) == 1 {
		return xs[0]
	}
	shape := xs[0].Shape()
	for _, x := range xs {
		if !x.Shape().Eq(shape) {
			return b.Fail(name, "an average of shapes %v and %v", shape, x.Shape())
		}
	}
	share := 1 / T(len(xs))
	o := &op[T]{
		name: "average " + name,
		run: func(in [][]T, out []T) error {
			copy(out, in[0])
			for _, x := range in[1:] {
				for i, v := range x {
					out[i] += v
				}
			}
			for i := range out {
				out[i] *= share
			}
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		// All inputs have the same gradient.
		return slices.Repeat(gorgonia.Nodes{b.gradient("dx "+o.name, shape, func(in [][]T, out []T) {
			for i, g := range in[0] {
				out[i] = share * g
			}
		}, dy)}, len(xs))
	}
	return b.layer("Average", name, b.apply(o, shape, xs...), nil, nil, xs...)
}
