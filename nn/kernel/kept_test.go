package kernel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKept: products with weights that are kept have the bits of products that pack them each
// time, and the first weights are those that stay.
func TestKept(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(8)
		for _, s := range []struct{ m, n, k int }{{1, 512, 784}, {1, 10, 512}, {64, 10, 300}, {7, 33, 257}, {100, 70, 513}, {300, 2100, 40}} {
			a, b := normals[float32](rng, s.m*s.k), normals[float32](rng, s.k*s.n)
			want, got := make([]float32, s.m*s.n), make([]float32, s.m*s.n)
			Gemm(false, false, s.m, s.n, s.k, 1, a, s.k, b, s.n, 0, want, s.n)
			kept := new(Kept[float32])
			kept.Multiply(s.m, s.n, s.k, a, b, got)
			assert.Equal(t, want, got, label("%+v", s))
			kept.Multiply(s.m, s.n, s.k, a, make([]float32, s.k*s.n), got)
			assert.Equal(t, want, got, label("%+v again", s))
		}
		for _, s := range append(append([]ConvShape{}, oddShapes...), ConvShape{N: 8, H: 7, W: 7, InC: 32, OutC: 64, K: 3, Stride: 1, Pad: 1}) {
			x, w := normals[float32](rng, s.InLen()), normals[float32](rng, s.WeightLen())
			want, got := make([]float32, s.OutLen()), make([]float32, s.OutLen())
			NewConv[float32](s).Forward(x, w, want)
			conv := NewConv[float32](s)
			conv.Keep(new(Kept[float32]))
			for range 2 {
				conv.Forward(x, w, got)
				assert.Equal(t, want, got, label("%+v", s))
			}
		}
	})
}
