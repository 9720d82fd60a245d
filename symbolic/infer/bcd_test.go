package infer

import (
	"math"
	"testing"

	"hinge/symbolic/lcqp"
)

// dualOf returns the dual value of the solver's point.
func dualOf(x Solver, p *Problem) float64 {
	x.Point(p)
	return p.evaluate(make([]float64, p.Targets)).dual
}

// fell tells whether the dual fell from before to after by more than rounding.
func fell(before, after float64) bool { return after < before-1e-12*(1+math.Abs(before)) }

// The dual must not fall from block to block.
func TestBlocksAscend(t *testing.T) {
	problems(t, 200, true, func(t *testing.T, seed uint64, p *Problem) {
		var x dualBCD
		x.Init(p)
		last := dualOf(&x, p)
		for range 3 {
			for k := range x.lambda {
				x.dirty[k] = true
				for other := range x.dirty {
					x.dirty[other] = other == k
				}
				x.sweep(p)
				if x.unbounded {
					t.Fatalf("seed %d: feasible problem found infeasible", seed)
				}
				now := dualOf(&x, p)
				if fell(last, now) {
					t.Fatalf("seed %d: block %d takes the dual from %v to %v", seed, k, last, now)
				}
				last = now
			}
		}
	})
}

// A block step is exact: afterwards the partial derivative is 0.
func TestBlocksAreExact(t *testing.T) {
	problems(t, 200, true, func(t *testing.T, seed uint64, p *Problem) {
		var x dualBCD
		x.Init(p)
		for k := range x.lambda {
			f := x.slope(k)
			if f == 0 {
				continue
			}
			lambda := x.walk.maximise(&x, k, f)
			delta := lambda - x.lambda[k]
			x.lambda[k] = lambda
			x.placeRow(k)
			g := x.groups
			for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
				x.placeTarget(g.col[j], x.u[g.col[j]]+g.val[j]*delta)
			}
			if rest := x.slope(k); math.Abs(rest) > 1e-9*(1+math.Abs(f)) {
				t.Fatalf("seed %d: block %d had derivative %v and has %v", seed, k, f, rest)
			}
			if delta*f < 0 {
				t.Fatalf("seed %d: block %d moved by %v against its derivative %v", seed, k, delta, f)
			}
		}
	})
}

// Neither sweeps nor Newton steps nor fallbacks may lower the dual.
func TestIterationsAscend(t *testing.T) {
	problems(t, 500, true, func(t *testing.T, seed uint64, p *Problem) {
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
		k := known(seed)
		if k.Instance.Epsilon < 0.1 {
			continue
		}
		s := Settings{Method: DualBCD{NoNewton: true}, GapTolerance: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
		res := solve(t, k.Instance, nil, s)
		if res.Status != Solved {
			continue
		}
		solved++
		if res.Stats.Newton != 0 || res.Stats.Factorizations != 0 {
			t.Fatalf("seed %d: %+v", seed, res.Stats)
		}
		if !near(res.PrimalValue, k.Value, 1e-5) {
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
		k := known(seed)
		s := Settings{GapTolerance: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6, MaxIterations: 3000}
		with += solve(t, k.Instance, nil, s).Stats.BlockUpdates
		s.Method = DualBCD{NoNewton: true}
		without += solve(t, k.Instance, nil, s).Stats.BlockUpdates
	}
	if 20*with > without {
		t.Errorf("%d block updates with Newton steps, %d without", with, without)
	}
}

// The multipliers that Point shares out must add up: those of a group to λ_g,
// and those of a target's own rows and bounds to what keeps it stationary.
func TestPointSharesAll(t *testing.T) {
	problems(t, 200, true, func(t *testing.T, seed uint64, p *Problem) {
		var x dualBCD
		x.Init(p)
		for range 20 {
			if x.Iterate(p) == Settled {
				break
			}
		}
		x.Point(p)
		for k, lambda := range x.lambda {
			sum, scale := 0.0, 1.0
			from, to := p.membersOf(k)
			for r := from; r < to; r++ {
				mu := p.Dual[r]
				if p.Kind[r] != lcqp.HardEQ && mu < 0 {
					t.Fatalf("seed %d: multiplier %v", seed, mu)
				}
				sum += p.coef[r] * mu
				scale += math.Abs(p.coef[r] * mu)
			}
			if math.Abs(sum-lambda) > 1e-9*scale {
				t.Fatalf("seed %d: members of group %d have %v in all, λ is %v", seed, k, sum, lambda)
			}
		}
	})
}
