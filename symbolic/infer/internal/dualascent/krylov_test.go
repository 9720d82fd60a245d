package dualascent

import (
	"math"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
)

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
			s.solveConjugate(p, free, x)
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
		s.solveConjugate(p, free, got)
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
		s.solveConjugate(p, free, rhs)
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
