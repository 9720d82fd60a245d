package nn

import (
	"math"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// softmaxGrain is the number of elements of a softmax that justifies another
// thread.
const softmaxGrain = 512

// Softmax computes softmax(x/τ) over the last axis of a value of any rank; τ is
// State.Temperature at the time of the run.
func (b *Builder[T]) Softmax(name string, x *gorgonia.Node) *gorgonia.Node {
	y := b.softmax(name, x, func() (T, error) { return T(1 / b.state.Temperature), b.state.check() })
	return b.layer("Softmax", name, y, nil, nil, x)
}

// Attention is a Softmax inside a network; its temperature is always 1.
func (b *Builder[T]) Attention(name string, x *gorgonia.Node) *gorgonia.Node {
	return b.layer("Attention", name, b.softmax(name, x, func() (T, error) { return 1, nil }), nil, nil, x)
}

// softmax is Softmax with a factor of x that is asked for in each run.
func (b *Builder[T]) softmax(name string, x *gorgonia.Node, factor func() (T, error)) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	shape := x.Shape()
	classes := shape[len(shape)-1]
	rows := size(shape) / classes
	o := &op[T]{
		name: "softmax " + name,
		run: func(in [][]T, out []T) error {
			scale, err := factor()
			if err != nil {
				return err
			}
			softmaxRows(out, in[0], rows, classes, scale)
			return nil
		},
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx softmax "+name, shape, func(in [][]T, out []T) error {
			scale, err := factor()
			if err != nil {
				return err
			}
			softmaxRowsGrad(out, in[0], in[1], rows, classes, scale)
			return nil
		}, y, dy)}
	}
	y = b.apply(o, shape, x)
	return y
}

// LogSoftmax computes x − log Σ exp x over the last axis of x, of any rank.
func (b *Builder[T]) LogSoftmax(name string, x *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	shape := x.Shape()
	classes := shape[len(shape)-1]
	rows := size(shape) / classes
	o := &op[T]{name: "logsoftmax " + name, run: func(v [][]T, out []T) error {
		kernel.LogSoftmax(v[0], out, rows, classes)
		return nil
	}}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx "+o.name, shape, func(v [][]T, dx []T) error {
			kernel.LogSoftmaxBackward(v[0], v[1], dx, rows, classes)
			return nil
		}, dy, y)}
	}
	y = b.apply(o, shape, x)
	return b.layer("LogSoftmax", name, y, nil, nil, x)
}

// softmaxRows writes softmax(scale·x) of every row of x to y.
func softmaxRows[T Float](y, x []T, rows, classes int, scale T) {
	kernel.Parallel(rows, max(1, softmaxGrain/classes), func(lo, hi int) {
		for i := lo * classes; i < hi*classes; i += classes {
			softmaxRow(y[i:i+classes], x[i:i+classes], scale)
		}
	})
}

// softmaxRowsGrad writes the gradient of softmaxRows to dx.
func softmaxRowsGrad[T Float](dx, y, g []T, rows, classes int, scale T) {
	kernel.Parallel(rows, 4*max(1, softmaxGrain/classes), func(lo, hi int) {
		clear(dx[lo*classes : hi*classes])
		softmaxGrad(dx, y, g, lo, hi, classes, scale)
	})
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

// softmaxGrad adds scale·y∘(g - y·g), the gradient of softmaxRow, to rows lo to
// hi of dx.
func softmaxGrad[T Float](dx, y, g []T, lo, hi, classes int, scale T) {
	for i := lo * classes; i < hi*classes; i += classes {
		d, y, g := dx[i:i+classes], y[i:i+classes], g[i:i+classes]
		var dot T
		for j, v := range y {
			dot += v * g[j]
		}
		for j, v := range y {
			d[j] += scale * v * (g[j] - dot)
		}
	}
}
