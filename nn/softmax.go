package nn

import (
	"math"

	"gorgonia.org/gorgonia"
)

// Softmax computes softmax(x/τ) over the last axis of a value of any rank; τ is
// State.Temperature at the time of the run.
func (b *Builder[T]) Softmax(name string, x *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	shape := x.Shape()
	classes := shape[len(shape)-1]
	o := &op[T]{
		name: "softmax " + name,
		wrt:  []bool{true},
		run: func(in [][]T, out []T) error {
			if err := b.state.check(); err != nil {
				return err
			}
			scale := T(1 / b.state.Temperature)
			for lo := 0; lo < len(out); lo += classes {
				softmaxRow(out[lo:lo+classes], in[0][lo:lo+classes], scale)
			}
			return nil
		},
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx softmax "+name, shape, func(in [][]T, out []T) error {
			clear(out)
			scale := T(1 / b.state.Temperature)
			for lo := 0; lo < len(out); lo += classes {
				addSoftmaxGrad(out[lo:lo+classes], in[0][lo:lo+classes], in[1][lo:lo+classes], scale)
			}
			return nil
		}, y, dy)}
	}
	y = b.apply(o, shape, x)
	return y
}

// softmaxRow writes softmax(scale·x) to y, shifted by the maximum for range.
// y may be x.
func softmaxRow[T Float](y, x []T, scale T) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum T
	for i, v := range x {
		e := T(math.Exp(float64((v - top) * scale)))
		y[i] = e
		sum += e
	}
	for i := range y {
		y[i] /= sum
	}
}

// addSoftmaxGrad adds scale·y∘(g - y·g), the gradient of softmaxRow, to dx.
func addSoftmaxGrad[T Float](dx, y, g []T, scale T) {
	var dot T
	for i, v := range y {
		dot += v * g[i]
	}
	for i, v := range y {
		dx[i] += scale * v * (g[i] - dot)
	}
}
