package problem

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// The driver's own evaluation, plus what presolve has set aside, must be the
// instance's.
func TestEvaluate(t *testing.T) {
	for seed := range uint64(200) {
		k := infertest.Known(seed)
		in := k.Instance
		pre := Presolve{Tol: NeverActive}
		var sol lcqp.Solution
		sol.Resize(in.Template)
		primal, dual := 0.0, 0.0
		for c := range in.Components {
			var p Problem
			if !pre.Run(in, c, ReduceMerged, &p) {
				t.Fatal("infeasible")
			}
			pre.Start(&p, k.Solution.Dual, k.Solution.Y)
			v := p.Evaluate(make([]float64, p.Targets))
			if v.Violation > 1e-8 || v.Product > 1e-7 || v.Stationarity > 1e-7 {
				t.Errorf("seed %d: %+v at the optimum", seed, v)
			}
			_, constant := pre.Finish(&p, &sol)
			primal += v.Primal + constant
			dual += v.Dual + constant
		}
		p, d := in.Value(&sol)
		if !infertest.Near(primal, p, 1e-9) || !infertest.Near(dual, d, 1e-7) || !infertest.Near(primal, k.Value, 1e-7) {
			t.Errorf("seed %d: %v and %v, the instance has %v and %v", seed, primal, dual, p, d)
		}
	}
}

// The goal is relative to the value with what presolve has set aside, as the
// driver's rule is.
func TestGoalCountsConstant(t *testing.T) {
	v := Point{Primal: 10 + 6e-8, Dual: 10}
	g := Tolerance{Relative: 1e-8, Violation: 1, Stationarity: 1}
	if g.Met(&v, 0.5) {
		t.Error("the gap is more than half of what is allowed")
	}
	v.Primal = 10 + 4e-8
	if !g.Met(&v, 0.5) {
		t.Error("the gap is within the goal")
	}
	g.Constant = -9.9 // of the whole value 0.1 is left
	if g.Met(&v, 0.5) {
		t.Error("the gap is not within the goal of the value that the driver sees")
	}
}

// NaN anywhere in the point must fail every test of the stop rule.
func TestEvaluateNaN(t *testing.T) {
	Each(t, 40, true, func(t *testing.T, seed uint64, p *Problem) {
		bad := func(what string) {
			t.Helper()
			v := p.Evaluate(make([]float64, p.Targets))
			if v.Violation <= 1e300 || v.Stationarity <= 1e300 || v.Product <= 1e300 {
				t.Fatalf("seed %d: %+v with NaN in %s", seed, v, what)
			}
		}
		y := p.Y[0]
		p.Y[0] = math.NaN()
		bad("y")
		p.Y[0] = y
		if p.Rows > 0 {
			p.Dual[p.Rows-1] = math.NaN()
			bad("a multiplier")
		}
	})
}
