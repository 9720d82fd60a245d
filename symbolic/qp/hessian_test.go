package qp_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
)

// curve gives a problem the Hessian P + Σ over vectors v vᵀ that are sparse, and costs by which a
// known optimum stays one.
func curve(rng *rand.Rand, p *qp.Problem, sol *qp.Solution) {
	n := len(p.P)
	h := make([][]float64, n)
	for i := range h {
		h[i] = make([]float64, n)
	}
	for range rng.IntN(n + 1) {
		v := make([]float64, n)
		for i := range v {
			if rng.IntN(3) == 0 {
				v[i] = rng.NormFloat64()
			}
		}
		for i := range v {
			for j := range v {
				h[i][j] += v[i] * v[j]
			}
		}
	}
	p.HPtr = []int32{0}
	for i := range h {
		for j := range h {
			p.Q[i] -= h[i][j] * sol.X[j]
			if j < i && h[i][j] != 0 {
				p.HCol, p.HVal = append(p.HCol, int32(j)), append(p.HVal, h[i][j])
			}
		}
		p.P[i] += h[i][i]
		p.HPtr = append(p.HPtr, int32(len(p.HCol)))
	}
}

// With a Hessian off its diagonal, of any rank, the value is the known optimum too.
func TestHessian(t *testing.T) {
	const all = 200
	lifted := 0
	solved := knownOptima(t, all, 1e-7, func(seed uint64) (*qp.Problem, *qp.Solution) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p, want := random(rng)
		if curve(rng, p, want); len(p.HVal) > 0 {
			lifted++
		}
		return p, want
	})
	if solved < all*98/100 || lifted < all/2 {
		t.Errorf("%d of %d solved, %d of them with entries off the diagonal", solved, all, lifted)
	}
}

// A Hessian that is not positive semidefinite is refused, whatever shows it; one that just
// is, is solved.
func TestNotConvex(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		off  float64
		want string
	}{
		{[]float64{1, 1}, 1, ""},
		{[]float64{1, 1}, 1.0001, "not convex"},
		{[]float64{0, 1}, 0.5, "not convex"},
		{[]float64{0, 0}, -1, "not convex"},
		{[]float64{4, 9}, -6, ""},
		{[]float64{-1, 1}, 0, "P[0] is -1"},
	} {
		p := &qp.Problem{P: c.p, Q: []float64{0, 0}, Ptr: []int32{0}, HPtr: []int32{0, 0, 1}, HCol: []int32{0}, HVal: []float64{c.off}}
		r, err := qp.Solve(p, qp.Settings{})
		if c.want == "" && (err != nil || r.Status != infer.Solved) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v with %v: %v, want %q", c.p, c.off, err, c.want)
		}
	}
}
