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
	if of, ok := x.Op().(*op[T]); ok && of.rectified != nil && !b.Training {
		b.folded = append(b.folded, x)
		o := &op[T]{name: "relu " + name, run: of.rectified}
		return b.layer("ReLU", name, b.apply(o, x.Shape(), of.in...), nil, nil, x)
	}
	y := b.unary("relu "+name, x, x.Shape(), func(x, y []T) error {
		kernel.Relu(x, y)
		return nil
	}, readsY, func(dy, _, y, dx []T) { kernel.ReluBackward(dy, y, dx) })
	return b.layer("ReLU", name, y, nil, nil, x)
}
