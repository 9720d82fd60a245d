package qp_test

import (
	"math"
	"testing"

	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
)

// A contradiction comes with multipliers that prove it, and the check of proofs is not
// content with others.
func TestProof(t *testing.T) {
	inf := math.Inf(1)
	// x + y ≥ 3, x + 2y ≤ 2, 0 ≤ x ≤ 2.5, y ≥ 0: the first and the last need y ≥ .5, and so x ≤ 1.
	p := &qp.Problem{P: []float64{1, 2}, Q: []float64{0, 0}, HPtr: []int32{0, 0, 1}, HCol: []int32{0}, HVal: []float64{1},
		Ptr: []int32{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{1, 1, 1, 2},
		Low: []float64{3, -inf}, High: []float64{inf, 2}, Lower: []float64{0, 0}, Upper: []float64{2.5, inf}}
	r, err := qp.Solve(p, qp.Settings{})
	if err != nil || r.Status != infer.Infeasible || len(r.Proof) != 2 || !qp.Refutes(p, r.Proof) {
		t.Fatalf("%v, %v, proof %v", err, r.Status, r.Proof)
	}
	for _, y := range [][]float64{{0, 0}, {-1, 0}, {0, 1}, {1, -1}, {-1, 0.4}, {math.NaN(), 1}, {-1, -1}} {
		if qp.Refutes(p, y) {
			t.Errorf("%v is taken for a proof", y)
		}
	}
	p.Low[0] = 2 // (2, 0) is a point
	if qp.Refutes(p, r.Proof) {
		t.Error("the proof holds for a problem that has a point")
	}
	if r, err := qp.Solve(p, qp.Settings{}); err != nil || r.Status != infer.Solved || r.Proof != nil {
		t.Errorf("with a point: %v, %v, proof %v", err, r.Status, r.Proof)
	}
}
