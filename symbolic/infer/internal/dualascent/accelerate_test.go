package dualascent

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp/lcqptest"
)

// The coefficients of the combination add up to 1 and make its change least: no other
// ones that do give less.
func TestCombinationIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	tried := 0
	problemtest.Each(t, 60, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x accelerated
		x.Init(p)
		for x.sweeps < memory-1 && x.Iterate(p) == problem.Moving {
		}
		if x.sweeps < 3 || !x.combine() {
			return
		}
		tried++
		sum := 0.0
		for _, c := range x.c {
			sum += c
		}
		change := func(c []float64) (v float64) {
			for k := range x.lambda {
				d := 0.0
				for i, c := range c {
					d += c * (x.history[i+1][k] - x.history[i][k])
				}
				v += d * d
			}
			return v
		}
		best, all := make([]float64, len(x.c)), 0.0
		for i, c := range x.c {
			best[i] = c / sum
			one := make([]float64, len(x.c))
			one[i] = 1
			all += change(one)
		}
		least, size := change(best), 0.0
		for _, c := range best {
			size += c * c
		}
		for range 20 {
			other := make([]float64, len(best))
			rest, squares := 1.0, 0.0
			for i := range other {
				other[i] = best[i] + 0.3*rng.NormFloat64()
				if i == len(other)-1 {
					other[i] = rest
				}
				rest -= other[i]
				squares += other[i] * other[i]
			}
			if v := change(other); v+leastChange*all*squares < (least+leastChange*all*size)*(1-1e-6) {
				t.Errorf("seed %d: change %v, but %v with other coefficients", seed, least, v)
			}
		}
	})
	if tried < 10 {
		t.Errorf("only %d combinations", tried)
	}
}

// On additions with sharp outputs extrapolations save most of the sweeps.
func TestExtrapolationSaves(t *testing.T) {
	sweeps := func(solver func() problem.Solver) (n int) {
		for _, in := range infertest.Additions(t, lcqptest.Add1, 12, 12, false) {
			pre, p := problem.Presolve{Tol: problem.NeverActive}, new(problem.Problem)
			if !pre.Run(in, 0, problem.ReduceMerged, p) {
				t.Fatal("infeasible")
			}
			pre.Start(p, nil, nil)
			goal := problem.Tolerance{Relative: 1e-4, Offset: 1e-3, Violation: 1e-4, Stationarity: 1e-4}
			x, pull := solver(), make([]float64, p.Targets)
			x.Init(p)
			for k := 0; k < 5000; k++ {
				if x.Iterate(p) == problem.Settled {
					break
				}
				n++
				x.Point(p)
				if v := p.Evaluate(pull); goal.Met(&v, 1) {
					break
				}
			}
		}
		return n
	}
	with := sweeps(func() problem.Solver { return new(accelerated) })
	without := sweeps(func() problem.Solver { return new(Ascent) })
	t.Logf("%d sweeps, %d without extrapolations", with, without)
	if 4*with > without {
		t.Errorf("%d sweeps, %d without extrapolations", with, without)
	}
}
