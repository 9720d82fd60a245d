package dualascent

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp"
)

// dualOf returns the dual value of the solver's point.
func dualOf(x problem.Solver, p *problem.Problem) float64 {
	x.Point(p)
	return p.Evaluate(make([]float64, p.Targets)).Dual
}

// fell tells whether the dual fell from before to after by more than rounding.
func fell(before, after float64) bool { return after < before-1e-12*(1+math.Abs(before)) }

// The dual must not fall from block to block.
func TestBlocksAscend(t *testing.T) {
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x Ascent
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
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x Ascent
		x.Init(p)
		for k := range x.lambda {
			f := x.slope(k)
			if f == 0 {
				continue
			}
			lambda := x.search.maximise(&x, k, f)
			delta := lambda - x.lambda[k]
			x.lambda[k] = lambda
			x.placeRow(k)
			g := x.groups
			for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
				x.placeTarget(g.Col[j], x.u[g.Col[j]]+g.Val[j]*delta)
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

// The multipliers that Point shares out must add up: those of a group to λ_g,
// and those of a target's own rows and bounds to what keeps it stationary.
func TestPointSharesAll(t *testing.T) {
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x Ascent
		x.Init(p)
		for range 20 {
			if x.Iterate(p) == problem.Settled {
				break
			}
		}
		x.Point(p)
		for k, lambda := range x.lambda {
			sum, scale := 0.0, 1.0
			from, to := p.MembersOf(k)
			for r := from; r < to; r++ {
				mu := p.Dual[r]
				if p.Kind[r] != lcqp.HardEQ && mu < 0 {
					t.Fatalf("seed %d: multiplier %v", seed, mu)
				}
				sum += p.Coef[r] * mu
				scale += math.Abs(p.Coef[r] * mu)
			}
			if math.Abs(sum-lambda) > 1e-9*scale {
				t.Fatalf("seed %d: members of group %d have %v in all, λ is %v", seed, k, sum, lambda)
			}
		}
	})
}
