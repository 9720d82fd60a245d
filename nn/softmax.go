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
	rows, classes := b.rows(name, x)
	if b.err != nil {
		return nil
	}
	var scale T
	return b.unary("softmax "+name, x, x.Shape(), func(x, y []T) (err error) {
		if scale, err = factor(); err != nil {
			return err
		}
		kernel.Parallel(rows, max(1, softmaxGrain/classes), func(lo, hi int) {
			for i := lo * classes; i < hi*classes; i += classes {
				softmaxRow(y[i:i+classes], x[i:i+classes], scale)
			}
		})
		return nil
	}, readsY, func(dy, _, y, dx []T) {
		kernel.Parallel(rows, 4*max(1, softmaxGrain/classes), func(lo, hi int) {
			clear(dx[lo*classes : hi*classes])
			softmaxGrad(dx, y, dy, lo, hi, classes, scale)
		})
	})
}

// LogSoftmax computes x − log Σ exp x over the last axis of x, of any rank.
func (b *Builder[T]) LogSoftmax(name string, x *gorgonia.Node) *gorgonia.Node {
	rows, classes := b.rows(name, x)
	if b.err != nil {
		return nil
	}
	y := b.unary("logsoftmax "+name, x, x.Shape(), func(x, y []T) error {
		kernel.LogSoftmax(x, y, rows, classes)
		return nil
	}, readsY, func(dy, _, y, dx []T) { kernel.LogSoftmaxBackward(dy, y, dx, rows, classes) })
	return b.layer("LogSoftmax", name, y, nil, nil, x)
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
