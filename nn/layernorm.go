package nn

import (
	"math"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Standardise computes (x − m)/√(v + ε) over each row of x, its last axis, with the row's
// mean m and biased variance v: layer normalisation (Ba, Kiros and Hinton, 2016) without
// scale and bias. With ε = 0 a row of equal numbers becomes NaN.
func (b *Builder[T]) Standardise(name string, x *gorgonia.Node, epsilon float64) *gorgonia.Node {
	rows, c := b.rows(name, x)
	if b.err != nil {
		return nil
	}
	if !(epsilon >= 0) {
		return b.Fail(name, "ε is %v, want a value of 0 or more", epsilon)
	}
	invstd := make([]T, rows)
	y := b.unary("standardise "+name, x, x.Shape(), func(x, out []T) error {
		kernel.Parallel(rows, max(1, mapGrain/c), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, y := x[i*c:][:c], out[i*c:][:c]
				mean, square := 0.0, 0.0
				for _, v := range row {
					mean += float64(v)
				}
				mean /= float64(c)
				for _, v := range row {
					square += (float64(v) - mean) * (float64(v) - mean)
				}
				scale := 1 / math.Sqrt(square/float64(c)+epsilon)
				invstd[i] = T(scale)
				for j, v := range row {
					y[j] = T((float64(v) - mean) * scale)
				}
			}
		})
		return nil
	}, readsY, func(dy, _, out, dx []T) {
		kernel.Parallel(rows, max(1, mapGrain/c), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				g, y, d := dy[i*c:][:c], out[i*c:][:c], dx[i*c:][:c]
				sum, dot := 0.0, 0.0
				for j, v := range g {
					sum += float64(v)
					dot += float64(v) * float64(y[j])
				}
				sum, dot = sum/float64(c), dot/float64(c)
				for j, v := range g {
					d[j] = T(float64(invstd[i]) * (float64(v) - sum - dot*float64(y[j])))
				}
			}
		})
	})
	return b.layer("Standardise", name, y, epsilon, nil, x)
}
