package kernel

import (
	"math"
	"testing"
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
		if s.length() != n {
			t.Errorf("length %d, want %d", s.length(), n)
		}
	}
}

// With integers everything is exact: the basis polynomials vanish at all points
// but their own, where f makes them one.
func TestLagrange(t *testing.T) {
	pts := []float64{0, 1, -1, 2, -2, math.Inf(1)}
	for _, p := range pts {
		l, f := lagrange(p, pts)
		if math.IsInf(p, 0) {
			if l[len(l)-1] != 1 || f != 1 {
				t.Errorf("infinity: %v, factor %v", l, f)
			}
		}
		for _, q := range pts[:5] {
			var v float64
			for i, c := range powers(q, len(l), 1) {
				v += c * l[i]
			}
			want := 0.0
			if p == q {
				want = 1
			}
			if math.Abs(v*f-want) > 1e-15 {
				t.Errorf("basis polynomial of %v is %v at %v", p, v*f, q)
			}
		}
	}
}

// The constants of the assembly are entries of the matrices.
func TestToomConstants(t *testing.T) {
	four, three := toomCook(4).segments[0], toomCook(3).segments[0]
	c := toomConstants
	for i, want := range map[int]float64{
		0: points[1], 1: points[3], 8: four.a[0][0], 12: four.a[1][3], 16: four.a[3][3], 17: three.a[0][0], 22: three.a[2][2],
	} {
		if c[i] != float32(want) {
			t.Errorf("constant %d is %v, want %v", i, c[i], want)
		}
	}
}
