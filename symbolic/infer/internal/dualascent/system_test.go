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
