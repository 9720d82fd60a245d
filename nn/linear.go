package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Linear computes y = x·Wᵀ + b for x [N][In], giving [N][out]. Parameters:
// name.weight [out, In] and name.bias [out], both U(-1/√In, 1/√In).
func (b *Builder[T]) Linear(name string, x *gorgonia.Node, out int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	shape := x.Shape()
	if len(shape) != 2 || out < 1 {
		return b.Fail(name, "a linear layer wants N×C and at least one output, not shape %v and %d outputs", shape, out)
	}
	n, in := shape[0], shape[1]
	pw, pb, w, bias := b.linearParams(name, in, out)
	run := func(relu bool) func(v [][]T, y []T) error {
		return always(func(v [][]T, y []T) {
			if pw.kept != nil {
				pw.kept.Multiply(n, out, in, v[0], v[1], y)
			} else {
				kernel.Gemm(false, false, n, out, in, 1, v[0], in, v[1], out, 0, y, out)
			}
			kernel.AddBias(y, v[2], relu, n, out)
		})
	}
	o := &op[T]{name: "linear " + name, run: run(false), rectified: run(true)}
	o.each(func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dx "+name, shape, func(v [][]T, dx []T) {
			kernel.Gemm(false, true, n, in, out, 1, v[0], out, v[1], out, 0, dx, in)
		}, dy, w)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.paramGradient("dw "+name, pw, func(v [][]T, dw []T) {
			kernel.Gemm(true, false, in, out, n, 1, v[0], in, v[1], out, 0, dw, out)
		}, x, dy)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.paramGradient("db "+name, pb, func(v [][]T, db []T) { kernel.ColumnSums(v[0], db, n, out) }, dy)
	})
	return b.layer("Linear", name, b.apply(o, []int{n, out}, x, w, bias), nil, []*Param[T]{pw, pb}, x)
}

// linearParams are the weight and the bias of a linear layer.
func (b *Builder[T]) linearParams(name string, in, out int) (pw, pb *Param[T], w, bias *gorgonia.Node) {
	pw, w = b.param(Param[T]{Name: name + ".weight", Shape: []int{out, in}, Decay: true, layout: matrix}, torchUniform[T](in))
	pb, bias = b.param(Param[T]{Name: name + ".bias", Shape: []int{out}}, torchUniform[T](in))
	return pw, pb, w, bias
}
