package dualascent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// aheadOf returns the naive dual along the Newton direction of x, whose parameter 0
// is the present point.
func aheadOf(x *Ascent, p *problem.Problem) func(t float64) float64 {
	w := &x.newton
	from, d := slices.Clone(x.lambda), make([]float64, len(x.lambda))
	for r, k := range w.active {
		d[k] = w.d[r]
	}
	at := make([]float64, len(from))
	return func(t float64) float64 {
		for k := range at {
			at[k] = from[k] + t*d[k]
		}
		return naiveDual(p, at)
	}
}

// uphill brings random problems to their first Newton direction.
func uphill(t *testing.T, seeds uint64, f func(t *testing.T, seed uint64, x *Ascent, p *problem.Problem)) {
	rng := rand.New(rand.NewPCG(21, 1))
	problemtest.Each(t, seeds, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		if p.Forms.Len() == 0 {
			return
		}
		x := started(rng, p)
		w := &x.newton
		if !w.collect(x) {
			return
		}
		w.system.assemble(x, p, w.active, w.damping)
		if w.direction(x, p) {
			f(t, seed, x, p)
		}
	})
}

// parameter is how far the entries have moved along the ray from λ.
func parameter(r *ray, before []curvePoint) float64 {
	t, after := 0.0, r.entries
	for n := range before[:r.groups] {
		t = max(t, (after[n].v-before[n].v)/before[n].speed)
	}
	return t
}

// The bracketing search keeps its promise on the slope: at least 0, so that the
// dual has risen, and at most a thousandth of the slope it began with, unless a
// curve jumps there or the domain ends.
func TestBracketSlope(t *testing.T) {
	tried, flat := 0, 0
	uphill(t, 60, func(t *testing.T, seed uint64, x *Ascent, p *problem.Problem) {
		w := &x.newton
		w.ray.aim(x, w.active, w.d)
		along, e := aheadOf(x, p), w.ray.entries
		before, gain := slices.Clone(e), w.gain()
		w.ray.bracket(gain, w.longest)
		at := parameter(&w.ray, before)
		tried++
		if s := slopeAt(before, at); s < -1e-9*gain {
			t.Errorf("seed %d: slope %v at %v is beyond the maximum", seed, s, at)
		}
		ended := at == w.longest
		for n := range e {
			low, high := e[n].c.limits(int(e[n].f))
			ended = ended || !(e[n].v > low+1e-9 && e[n].v < high-1e-9)
		}
		if s := slopeAt(before, at*(1+1e-9)+1e-9); s <= 1.1e-3*gain {
			flat++
		} else if !ended {
			t.Errorf("seed %d: slope %v of %v at %v", seed, s, gain, at)
		}
		if seed%4 == 0 {
			if a, b := along(0), along(at); b < a-1e-9*(1+math.Abs(a)) {
				t.Errorf("seed %d: the dual falls from %v to %v", seed, a, b)
			}
		}
	})
	if tried < 30 || flat < tried/2 {
		t.Errorf("%d of %d searches end where the slope is small", flat, tried)
	}
}
