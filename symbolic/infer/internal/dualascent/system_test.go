package dualascent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// newtonAt brings a solver to the point where it would take its first Newton
// step and assembles the system.
func newtonAt(p *problem.Problem) (*Ascent, bool) {
	x := new(Ascent)
	x.Init(p)
	x.sweep(p)
	w := &x.newton
	if !w.collect(x) {
		return nil, false
	}
	w.system.assemble(x, p, w.active, 1e-4)
	return x, true
}

// systems calls f with the Newton systems of random problems, a random set of free
// positions and a right-hand side.
func systems(t *testing.T, seeds uint64, damping float64,
	f func(t *testing.T, seed uint64, s *system, p *problem.Problem, m []float64, free []int32, rhs []float64)) {
	rng := rand.New(rand.NewPCG(51, 1))
	tried := 0
	problemtest.Each(t, seeds, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		w := &x.newton
		if !w.collect(x) {
			return
		}
		w.system.assemble(x, p, w.active, damping)
		var free []int32
		var rhs []float64
		for r := range w.active {
			if rng.IntN(5) > 0 {
				free, rhs = append(free, int32(r)), append(rhs, rng.NormFloat64())
			}
		}
		if len(free) == 0 {
			return
		}
		tried++
		f(t, seed, &w.system, p, naiveSystem(&w.system), free, rhs)
	})
	if tried < 50 {
		t.Errorf("only %d systems", tried)
	}
}

// The residual meets the goal that is said to be met: 1e-2 of the right-hand side
// in norm, or its largest entry where that is smaller; and then the error is that of
// an exact solution with a right-hand side so much off.
func TestConjugateResidual(t *testing.T) {
	met := 0
	systems(t, 100, 1e-3, func(t *testing.T, seed uint64, s *system, p *problem.Problem, m []float64, free []int32, rhs []float64) {
		n := len(s.active)
		for _, size := range []float64{1, 1e-3, 1e-6} {
			b := slices.Clone(rhs)
			for a := range b {
				b[a] *= size
			}
			x := slices.Clone(b)
			before := p.Stats.Krylov
			s.solve(p, free, x)
			if p.Stats.Krylov == before {
				t.Errorf("seed %d: no iterations counted", seed)
			}
			residual, norm, largest := 0.0, 0.0, 0.0
			for a, r := range free {
				v := b[a]
				for c, q := range free {
					v -= m[int(r)*n+int(q)] * x[c]
				}
				residual += v * v
				norm += b[a] * b[a]
				largest = max(largest, math.Abs(b[a]))
			}
			goal := math.Sqrt(norm) * min(1e-2, max(largest, 1e-10))
			if s.inexact {
				continue
			}
			met++
			if got := math.Sqrt(residual); got > 1.01*goal+1e-12*math.Sqrt(norm) {
				t.Errorf("seed %d: residual %v of %v, want %v", seed, got, math.Sqrt(norm), goal)
			}
		}
	})
	if met < 200 {
		t.Errorf("only %d of the systems were solved", met)
	}
}

// With right-hand sides as small as the end of a solve has, the solution is that of
// elimination.
func TestConjugateAgainstElimination(t *testing.T) {
	compared := 0
	systems(t, 100, 1e-2, func(t *testing.T, seed uint64, s *system, p *problem.Problem, m []float64, free []int32, rhs []float64) {
		for a := range rhs {
			rhs[a] *= 1e-8
		}
		want := infertest.Gauss(t, m, len(s.active), free, rhs)
		got := slices.Clone(rhs)
		before := p.Stats.Krylov
		s.solve(p, free, got)
		if s.inexact {
			return
		}
		compared++
		// Conjugate directions are done when there are no more of them, but for
		// rounding.
		if n := p.Stats.Krylov - before; n > 2*len(free) {
			t.Errorf("seed %d: %d iterations for %d unknowns", seed, n, len(free))
		}
		scale := 0.0
		for _, v := range want {
			scale = max(scale, math.Abs(v))
		}
		for a := range want {
			if math.Abs(got[a]-want[a]) > 1e-3*scale {
				t.Errorf("seed %d: solution %v, want %v of %v", seed, got[a], want[a], scale)
			}
		}
	})
	if compared < 40 {
		t.Errorf("only %d systems", compared)
	}
}

// Of a direction without curvature nothing is known: the solver stops and says so.
func TestConjugateWithoutCurvature(t *testing.T) {
	systems(t, 100, 0, func(t *testing.T, seed uint64, s *system, p *problem.Problem, m []float64, free []int32, rhs []float64) {
		for i := range s.rate {
			s.rate[i] = 0
		}
		clear(s.diag)
		for r := range s.pivot {
			s.pivot[r] = 1
		}
		s.solve(p, free, rhs)
		if !s.inexact {
			t.Errorf("seed %d: a zero matrix was solved with", seed)
		}
		for _, v := range rhs {
			if v != 0 {
				t.Fatalf("seed %d: step %v on a zero matrix", seed, v)
			}
		}
	})
}

// A line search must end where the dual is no lower.
func TestSearchAscends(t *testing.T) {
	problemtest.Each(t, 300, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x, ok := newtonAt(p)
		if !ok || !x.newton.direction(x, p) {
			return
		}
		before := dualOf(x, p)
		w := &x.newton
		w.ray.aim(x, w.active, w.d)
		w.ray.ascend(x, w.gain(), w.longest)
		if after := dualOf(x, p); fell(before, after) {
			t.Errorf("seed %d: the dual falls from %v to %v", seed, before, after)
		}
	})
}

// The bracketing line search of big problems must not descend, and gain where
// there is something to gain.
func TestBracket(t *testing.T) {
	tried, gained := 0, 0
	problemtest.Each(t, 300, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x, ok := newtonAt(p)
		if !ok || !x.newton.direction(x, p) {
			return
		}
		w := &x.newton
		before := dualOf(x, p)
		w.ray.aim(x, w.active, w.d)
		w.ray.ascend(x, w.gain(), w.longest)
		after := dualOf(x, p)
		if fell(before, after) {
			t.Errorf("seed %d: the dual falls from %v to %v", seed, before, after)
		}
		tried++
		if after > before {
			gained++
		}
	})
	// On the others a curve bends at once.
	if 10*gained < 9*tried {
		t.Errorf("only %d of %d searches gained", gained, tried)
	}
}
