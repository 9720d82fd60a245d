package infertest

import (
	"math"
	"testing"
)

// Near reports whether a and b differ by at most tol, relative to 1 + |b|.
func Near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// GoldenSection returns place and value of the maximum of a concave function.
func GoldenSection(f func(float64) float64, low, high float64) (x, best float64) {
	const ratio = 0.6180339887498949
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for range 90 {
		if fa < fb {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		} else {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		}
	}
	x, best = a, fa
	for _, end := range [...]float64{low, high, b} {
		if v := f(end); v > best {
			x, best = end, v
		}
	}
	return x, best
}

// Gauss solves the principal system of the rows free by elimination with pivots.
func Gauss(t *testing.T, m []float64, n int, free []int32, rhs []float64) []float64 {
	t.Helper()
	k := len(free)
	a := make([][]float64, k)
	for i, r := range free {
		a[i] = make([]float64, k+1)
		for j, q := range free {
			a[i][j] = m[int(r)*n+int(q)]
		}
		a[i][k] = rhs[i]
	}
	for c := range k {
		best := c
		for i := c; i < k; i++ {
			if math.Abs(a[i][c]) > math.Abs(a[best][c]) {
				best = i
			}
		}
		a[c], a[best] = a[best], a[c]
		if a[c][c] == 0 {
			t.Fatal("the system is singular")
		}
		for i := range k {
			if i != c && a[i][c] != 0 {
				ratio := a[i][c] / a[c][c]
				for j := c; j <= k; j++ {
					a[i][j] -= ratio * a[c][j]
				}
			}
		}
	}
	x := make([]float64, k)
	for i := range x {
		x[i] = a[i][k] / a[i][i]
	}
	return x
}
