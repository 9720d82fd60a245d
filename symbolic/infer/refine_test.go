package infer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/lcqp/lcqptest"
)

// From the solution itself nothing is left to do; after a small change of the
// outputs a step or two do, without the method; and the answer is that of a cold
// start.
func TestRefine(t *testing.T) {
	for _, m := range []Method{DualBCD{}, InteriorPoint{}} {
		ins := additions(t, lcqptest.Add1, 40, 3, false)
		res, warms := results(len(ins)), make([]*Warm, len(ins))
		s := Settings{Method: m}
		if err := SolveAll(ins, nil, s, res); err != nil {
			t.Fatal(err)
		}
		for n, r := range res {
			warms[n] = new(Warm)
			r.SaveWarm(warms[n])
		}
		if err := SolveAll(ins, warms, s, res); err != nil {
			t.Fatal(err)
		}
		for n, r := range res {
			mustBeSolved(t, ins[n], r)
			if r.Stats.Iterations > 0 || r.Stats.Factorizations > 1 {
				t.Errorf("%s, %d: %+v for a solved problem", m.Name(), n, r.Stats)
			}
		}
		perturb(ins)
		if err := SolveAll(ins, warms, s, res); err != nil {
			t.Fatal(err)
		}
		without := 0
		for n, r := range res {
			mustBeSolved(t, ins[n], r)
			if r.Stats.Iterations == 0 && r.Stats.Factorizations <= 4 {
				without++
			}
			if cold := solve(t, ins[n], nil, s); !near(r.PrimalValue, cold.PrimalValue, 1e-8) {
				t.Errorf("%s, %d: value %v warm, %v cold", m.Name(), n, r.PrimalValue, cold.PrimalValue)
			}
		}
		if without < 25 {
			t.Errorf("%s: only %d of %d need no more than the refinement", m.Name(), without, len(ins))
		}
	}
}

// Where the refinement does not settle it leaves the start as it was.
func TestRefineLeavesStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	settled, not := 0, 0
	problems(t, 300, true, func(t *testing.T, seed uint64, p *Problem) {
		for k := range p.Dual {
			p.Dual[k] = max(rng.NormFloat64(), 0)
		}
		y, dual := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
		var x refiner
		if x.run(p, nil) {
			settled++
			if v := p.evaluate(make([]float64, p.Targets)); v.violation > 1e-6 || !near(v.primal, v.dual, 1e-5) {
				t.Errorf("seed %d: settled at %+v", seed, v)
			}
			return
		}
		not++
		mustStay(t, seed, p, y, dual)
	})
	t.Logf("%d settled, %d not", settled, not)
	if settled < 50 || not < 5 {
		t.Errorf("%d settled, %d not", settled, not)
	}
}

// mustStay fails unless the point in p is the start that was copied before.
func mustStay(t *testing.T, seed uint64, p *Problem, y, dual []float64) {
	t.Helper()
	if !slices.Equal(p.Y, y) {
		t.Fatalf("seed %d: the start has moved", seed)
	}
	if !slices.Equal(p.Dual, dual) {
		t.Fatalf("seed %d: the multipliers of the start have changed", seed)
	}
}
