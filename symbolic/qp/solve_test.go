package qp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
)

// HS21 of Hock and Schittkowski: min 0.01 x² + y² − 100 with 10x − y ≥ 10.
func Example() {
	p := &qp.Problem{
		P: []float64{0.02, 2}, Q: []float64{0, 0}, R: -100,
		Ptr: []int32{0, 2}, Col: []int32{0, 1}, Val: []float64{10, -1},
		Low: []float64{10}, High: []float64{math.Inf(1)},
		Lower: []float64{2, -50}, Upper: []float64{50, 50},
	}
	r, err := qp.Solve(p, qp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Status)
	fmt.Printf("x = %.4f, value %.4f, within 1e-6: %v\n", r.X[0], r.Residual.Value, r.Residual.Max() <= 1e-6)
	fmt.Printf("multiplier of x ≥ 2: %.4f\n", r.Bound[0])
	// Output:
	// solved: gap and feasibility within tolerance
	// x = 2.0000, value -99.9600, within 1e-6: true
	// multiplier of x ≥ 2: -0.0400
}

// random returns a problem and an optimum of it: rows and bounds in every state, some
// variables without bounds, some without curvature.
func random(rng *rand.Rand) (*qp.Problem, *qp.Solution) {
	n, m := 1+rng.IntN(12), rng.IntN(12)
	inf := math.Inf(1)
	p := &qp.Problem{Ptr: []int32{0}}
	sol := &qp.Solution{}
	// side draws the two sides of something that is a, and its multiplier.
	side := func(a float64) (low, high, mu float64) {
		low, high = -inf, inf
		switch rng.IntN(6) {
		case 0:
			low, high, mu = a, a, rng.NormFloat64()
		case 1:
			low, mu = a, -rng.ExpFloat64()
		case 2:
			high, mu = a, rng.ExpFloat64()
		case 3:
			low, high = a-rng.ExpFloat64(), a+rng.ExpFloat64()
		case 4:
			low, high = a, a+1 // degenerate
		}
		return low, high, mu
	}
	size := math.Pow(10, 2*rng.Float64())
	for range n {
		x := size * rng.NormFloat64()
		low, high, mu := side(x)
		p.Lower, p.Upper = append(p.Lower, low), append(p.Upper, high)
		curv := rng.ExpFloat64()
		if rng.IntN(3) == 0 {
			curv = 0
		}
		p.P = append(p.P, curv)
		sol.X, sol.Bound = append(sol.X, x), append(sol.Bound, mu)
		p.Q = append(p.Q, -curv*x-mu)
	}
	for range m {
		a := 0.0
		w := math.Pow(10, 2*rng.Float64()-1)
		at := len(p.Col)
		for i := range n {
			if rng.IntN(3) == 0 {
				p.Col, p.Val = append(p.Col, int32(i)), append(p.Val, w*rng.NormFloat64())
				a += p.Val[len(p.Val)-1] * sol.X[i]
			}
		}
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
		low, high, mu := side(a)
		for j := at; j < len(p.Col); j++ {
			p.Q[p.Col[j]] -= mu * p.Val[j]
		}
		p.Low, p.High, sol.Row = append(p.Low, low), append(p.High, high), append(sol.Row, mu)
	}
	return p, sol
}

// The value is the known optimum, and Solved is never said of less.
func TestKnownOptima(t *testing.T) {
	const all = 600
	solved := knownOptima(t, all, 1e-8, func(seed uint64) (*qp.Problem, *qp.Solution) { return random(rand.New(rand.NewPCG(seed, 1))) })
	if solved < all*99/100 {
		t.Errorf("%d of %d solved", solved, all)
	}
}

// knownOptima solves random problems whose optimum is known within a tolerance, compares, and
// returns how many were solved.
func knownOptima(t *testing.T, all int, tolerance float64, problem func(seed uint64) (*qp.Problem, *qp.Solution)) (solved int) {
	t.Helper()
	for seed := range uint64(all) {
		p, want := problem(seed)
		known := qp.Residuals(p, want)
		if known.Max() > tolerance {
			t.Fatalf("seed %d: the known optimum is judged %+v", seed, known)
		}
		r, err := qp.Solve(p, qp.Settings{})
		require.NoErrorf(t, err, "seed %d", seed)
		if r.Status != infer.Solved {
			t.Logf("seed %d: %v, %+v", seed, r.Status, r.Residual)
			continue
		}
		solved++
		if judge := qp.Residuals(p, &r.Solution); judge != r.Residual || !(judge.Max() <= 1e-6) {
			t.Errorf("seed %d: said to be solved, judged %+v", seed, judge)
		}
		if d := math.Abs(r.Residual.Value - known.Value); d > 1e-5*(1+math.Abs(known.Value)) {
			t.Errorf("seed %d: value %v, want %v", seed, r.Residual.Value, known.Value)
		}
	}
	return solved
}

// A contradiction is proved, a problem without an optimum is not called solved.
func TestNotSolved(t *testing.T) {
	inf := math.Inf(1)
	contradiction := &qp.Problem{P: []float64{1, 0}, Q: []float64{0, 0}, Ptr: []int32{0, 2, 4}, Col: []int32{0, 1, 0, 1},
		Val: []float64{1, 1, 1, 1}, Low: []float64{3, -inf}, High: []float64{inf, 2}}
	if r, err := qp.Solve(contradiction, qp.Settings{}); err != nil || r.Status != infer.Infeasible {
		t.Errorf("a contradiction: %v, %v", err, r.Status)
	}
	unbounded := &qp.Problem{P: []float64{0}, Q: []float64{1}, Ptr: []int32{0}}
	if r, err := qp.Solve(unbounded, qp.Settings{}); err != nil || r.Status.OK() {
		t.Errorf("an unbounded problem: %v, %v", err, r.Status)
	}
	far := &qp.Problem{P: []float64{0, 0}, Q: []float64{1, 1}, Ptr: []int32{0, 2}, Col: []int32{0, 1}, Val: []float64{1, 1},
		Low: []float64{-1e5}, High: []float64{inf}, Lower: []float64{-inf, 0}}
	if r, err := qp.Solve(far, qp.Settings{}); err != nil || r.Status != infer.Solved || math.Abs(r.Residual.Value+1e5) > 1e-3 {
		t.Errorf("an optimum far away: %v, %v, %+v", err, r.Status, r.Residual)
	}
}

func TestRefused(t *testing.T) {
	good := func() *qp.Problem {
		return &qp.Problem{P: []float64{1, 1}, Q: []float64{0, 0}, Ptr: []int32{0, 2}, Col: []int32{0, 1}, Val: []float64{1, 1},
			Low: []float64{0}, High: []float64{1}, Lower: []float64{0, 0}, Upper: []float64{1, 1}}
	}
	_, err := qp.Solve(good(), qp.Settings{})
	require.NoError(t, err)
	for _, c := range []struct {
		spoil func(p *qp.Problem)
		want  string
	}{
		{func(p *qp.Problem) { p.P[1] = -1 }, "P[1] is -1"},
		{func(p *qp.Problem) { p.P[0] = math.NaN() }, "P[0] is NaN"},
		{func(p *qp.Problem) { p.Q[0] = math.Inf(1) }, "Q[0] is +Inf"},
		{func(p *qp.Problem) { p.Q = p.Q[:1] }, "2, 1, 2 and 2 entries"},
		{func(p *qp.Problem) { p.R = math.NaN() }, "constant cost"},
		{func(p *qp.Problem) { p.Lower[0] = 2 }, "variable 0 is to be between 2 and 1"},
		{func(p *qp.Problem) { p.Low[0] = 2 }, "row 0 is to be between 2 and 1"},
		{func(p *qp.Problem) { p.Ptr = p.Ptr[:1] }, "do not fit together"},
		{func(p *qp.Problem) { p.Col[1] = 0 }, "column 0 after 0"},
		{func(p *qp.Problem) { p.Col[1] = 2 }, "column 2 after 0, of 2"},
		{func(p *qp.Problem) { p.Val[1] = math.NaN() }, "coefficient NaN"},
	} {
		p := good()
		c.spoil(p)
		if _, err := qp.Solve(p, qp.Settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := qp.Solve(good(), qp.Settings{Tolerance: -1}); err == nil {
		t.Error("a negative tolerance is taken")
	}
}

// A long way driven with least effort: three quarters of the unknowns are free and have
// no curvature, and multipliers are small beside lengths. Steps must not get ever shorter.
func TestFarWithoutCurvature(t *testing.T) {
	const steps, far = 1500, 1e3
	h := 1.0
	var p qp.Problem
	p.Ptr = []int32{0}
	// Unknowns are position, speed and force after each other.
	at := func(k, what int) int32 { return int32(3*k + what) }
	row := func(side float64, col []int32, val ...float64) {
		p.Col, p.Val = append(p.Col, col...), append(p.Val, val...)
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
		p.Low, p.High = append(p.Low, side), append(p.High, side)
	}
	for range steps + 1 {
		p.P, p.Q = append(p.P, 0, 0, h), append(p.Q, 0, 0, 0)
	}
	row(far, []int32{at(0, 0)}, 1)
	row(0, []int32{at(0, 1)}, 1)
	for k := range steps {
		row(0, []int32{at(k, 0), at(k, 1), at(k+1, 0)}, 1, h, -1)
		row(0, []int32{at(k, 1), at(k, 2), at(k+1, 1)}, 1, h, -1)
	}
	row(0, []int32{at(steps, 0)}, 1)
	row(0, []int32{at(steps, 1)}, 1)
	r, err := qp.Solve(&p, qp.Settings{})
	require.NoError(t, err)
	if j := qp.Residuals(&p, &r.Solution); r.Status != infer.Solved || !(j.Max() <= 1e-6) {
		t.Errorf("%v after %d steps: %+v", r.Status, r.Steps, j)
	}
	t.Logf("%d steps, %d iterations, value %v", r.Steps, r.Iterations, r.Residual.Value)
}

// The nearest convex sequence to a long wave: multipliers of second differences add up
// over long stretches, to 10⁵ times the costs.
func TestLargeMultipliers(t *testing.T) {
	const n = 4000
	p := &qp.Problem{Ptr: []int32{0}}
	for i := range n {
		p.P, p.Q = append(p.P, 1), append(p.Q, -math.Sin(4*math.Pi*float64(i)/(n-1))-0.1*math.Sin(float64(i)))
	}
	for i := range int32(n - 2) {
		p.Col, p.Val = append(p.Col, i, i+1, i+2), append(p.Val, 1, -2, 1)
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
		p.Low, p.High = append(p.Low, 0), append(p.High, math.Inf(1))
	}
	r, err := qp.Solve(p, qp.Settings{})
	require.NoError(t, err)
	most := 0.0
	for _, mu := range r.Row {
		most = max(most, math.Abs(mu))
	}
	if judge := qp.Residuals(p, &r.Solution); r.Status != infer.Solved || !(judge.Max() <= 1e-6) || !(most > 1e5) {
		t.Errorf("%v, %+v, largest multiplier %g", r.Status, judge, most)
	}
}
