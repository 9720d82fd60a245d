package qp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/qp"
)

// TestResidualsByHand compares the judge with residuals worked out by hand, at the optimum
// and at points that are far from it in one way each.
func TestResidualsByHand(t *testing.T) {
	inf := math.Inf(1)
	// x² − 2x + 1 with x ≥ 0, and x ≤ 3 as a row.
	p := &qp.Problem{
		P: []float64{2}, Q: []float64{-2}, R: 1, Lower: []float64{0}, Upper: []float64{inf},
		Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{1}, Low: []float64{-inf}, High: []float64{3},
	}
	for _, c := range []struct {
		name          string
		x, bound, row float64
		want          qp.Residual
	}{
		{"the optimum", 1, 0, 0, qp.Residual{}},
		// The dual value is 1 − x² − 3μ.
		{"a multiplier too much", 2, 0, 1, qp.Residual{Dual: 3, Value: 1, DualValue: -6, Gap: 7}},
		{"below the bound", -1, 4, 0, qp.Residual{Primal: 1, Dual: 4, Value: 4, DualValue: 0, Gap: 4}},
		{"above the row", 5, 0, -8, qp.Residual{Primal: 2, Dual: 8, Value: 16, DualValue: -24, Gap: 40}},
	} {
		got := qp.Residuals(p, &qp.Solution{X: []float64{c.x}, Bound: []float64{c.bound}, Row: []float64{c.row}})
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// The judge sees each kind of mistake.
func TestResiduals(t *testing.T) {
	p, good := random(rand.New(rand.NewPCG(4, 1)))
	for n, x := range [][]float64{good.X, good.Bound, good.Row} {
		for i := range x {
			for _, d := range []float64{1e-2, math.NaN()} {
				if n == 0 && p.P[i] == 0 && d == d {
					continue // may have many values
				}
				kept := x[i]
				x[i] += d
				if r := qp.Residuals(p, good); r.Max() <= 1e-6 {
					t.Errorf("slice %d, entry %d off by %v: %+v", n, i, d, r)
				}
				x[i] = kept
			}
		}
	}
}
