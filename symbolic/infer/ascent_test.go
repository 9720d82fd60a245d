package infer

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problemtest"
)

// dualOf returns the dual value of the solver's point.
func dualOf(x Solver, p *Problem) float64 {
	x.Point(p)
	return p.Evaluate(make([]float64, p.Targets)).Dual
}

// fell tells whether the dual fell from before to after by more than rounding.
func fell(before, after float64) bool { return after < before-1e-12*(1+math.Abs(before)) }

// Neither sweeps nor Newton steps nor fallbacks may lower the dual.
func TestIterationsAscend(t *testing.T) {
	problemtest.Each(t, 500, true, func(t *testing.T, seed uint64, p *Problem) {
		var x auto
		x.Init(p)
		last := dualOf(&x, p)
		for range 40 {
			progress := x.Iterate(p)
			now := dualOf(&x, p)
			if fell(last, now) {
				t.Fatalf("seed %d: the dual falls from %v to %v", seed, last, now)
			}
			last = now
			if progress == Settled {
				break
			}
		}
	})
}

// Coordinate ascent alone must reach the optimum where ε is not tiny.
func TestWithoutNewton(t *testing.T) {
	solved := 0
	for seed := range uint64(150) {
		k := infertest.Known(seed)
		if k.Instance.Epsilon < 0.1 {
			continue
		}
		s := Settings{Method: DualBCD{}, GapTolerance: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
		res := solve(t, k.Instance, nil, s)
		if res.Status != Solved {
			continue
		}
		solved++
		if res.Stats.Newton != 0 || res.Stats.Factorizations != 0 {
			t.Fatalf("seed %d: %+v", seed, res.Stats)
		}
		if !infertest.Near(res.PrimalValue, k.Value, 1e-5) {
			t.Errorf("seed %d: value %v, want %v", seed, res.PrimalValue, k.Value)
		}
	}
	if solved < 60 {
		t.Errorf("only %d problems solved", solved)
	}
}

// Newton steps must save sweeps, by far.
func TestNewtonSaves(t *testing.T) {
	with, without := 0, 0
	for seed := range uint64(60) {
		k := infertest.Known(seed)
		s := Settings{GapTolerance: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6, MaxIterations: 3000}
		with += solve(t, k.Instance, nil, s).Stats.BlockUpdates
		s.Method = DualBCD{}
		without += solve(t, k.Instance, nil, s).Stats.BlockUpdates
	}
	if 20*with > without {
		t.Errorf("%d block updates with Newton steps, %d without", with, without)
	}
}
