package qp

import (
	"math"
	"testing"

	"hinge/symbolic/infer"
)

// A gap that is one digit of the largest variable goes into the digits of a smaller one; where there
// is none, nothing changes.
func TestBalance(t *testing.T) {
	const tolerance = 1e-5
	for _, c := range []struct {
		second float64
		want   infer.Status
	}{{1e4, infer.Solved}, {1, infer.NoProgress}} {
		p := &Problem{P: []float64{2, 2}, Q: []float64{-2e6, -2 * c.second}, Ptr: []int32{0}}
		r := &Result{Status: infer.NoProgress, Solution: Solution{X: []float64{math.Nextafter(1e6, 2e6), c.second}, Row: []float64{}, Bound: []float64{0, 0}}}
		r.Residual = Residuals(p, &r.Solution)
		before := r.Residual
		p.balance(r, tolerance)
		if r.Status != c.want || r.Residual != Residuals(p, &r.Solution) || before.Max() < 10*tolerance || r.X[0] != math.Nextafter(1e6, 2e6) {
			t.Errorf("second variable %v: %v, %+v before, %+v after", c.second, r.Status, before, r.Residual)
		}
	}
}
