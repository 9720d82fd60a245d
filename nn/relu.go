package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// ReLU computes max(0, x) of a value of any shape. The derivative at 0 is 0.
// In evaluation, the ReLU of a linear layer is computed with it and cannot be differentiated.
func (b *Builder[T]) ReLU(name string, x *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	shape := x.Shape()
	o := &op[T]{
		name: "relu " + name,
		run: func(in [][]T, out []T) error {
			kernel.Relu(in[0], out)
			return nil
		},
	}
	in := []*gorgonia.Node{x}
	if of, ok := x.Op().(*op[T]); ok && of.rectified != nil && !b.Training {
		b.folded = append(b.folded, x)
		o.run, o.wrt, in = of.rectified, make([]bool, len(of.in)), of.in
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx relu "+name, shape, func(in [][]T, out []T) error {
			kernel.ReluBackward(in[0], in[1], out)
			return nil
		}, dy, y)}
	}
	y = b.apply(o, shape, in...)
	return b.layer("ReLU", name, y, nil, nil, x)
}
