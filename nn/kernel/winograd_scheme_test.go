package kernel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// plainLine computes a line of a convolution by its definition.
func plainLine(w [3]float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range y {
		for k, c := range w {
			if j := i + k - 1; j >= 0 && j < len(x) {
				y[i] += c * x[j]
			}
		}
	}
	return y
}

// fastLine computes it by a scheme.
func fastLine(s scheme, w [3]float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for _, seg := range s.segments {
		for p, b := range seg.b {
			var u, v float64
			for k, c := range s.g[seg.form+p] {
				u += c * w[k]
			}
			for k, c := range b {
				v += c * x[seg.from+k]
			}
			for i, c := range seg.a[p] {
				y[seg.at+i] += c * u * v
			}
		}
	}
	return y
}

func TestSchemes(t *testing.T) {
	rng := newRand(101)
	products := map[int]int{2: 3, 3: 5, 4: 6, 6: 10, 7: 11, 8: 12}
	for n := range 12 {
		s, ok := schemeFor(n)
		if want, has := products[n]; ok != has || ok && s.products() != want {
			t.Fatalf("%d pixels: scheme %v with %d products, want %d", n, ok, s.products(), want)
		}
		if !ok {
			continue
		}
		for range 20 {
			w, x := [3]float64(normals[float64](rng, 3)), normals[float64](rng, n)
			near(t, label("%d pixels", n), fastLine(s, w, x), plainLine(w, x), 1e-13)
		}
		assert.Equal(t, n, s.length(), "length")
	}
}
