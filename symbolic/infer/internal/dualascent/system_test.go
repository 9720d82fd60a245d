package dualascent

import (
	"math"
	"math/rand/v2"
	"testing"

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
	w.system.assemble(x, p, w.active, w.at, 1e-4)
	return x, true
}

// All three ways to solve a system must agree with a product by M.
func TestSystemSolvers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	tried := 0
	problemtest.Each(t, 300, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x, ok := newtonAt(p)
		if !ok {
			return
		}
		s := &x.newton.system
		n := len(s.active)
		var free []int32
		want := make([]float64, n)
		for r := range n {
			if rng.IntN(4) > 0 {
				free = append(free, int32(r))
				want[r] = rng.NormFloat64()
			}
		}
		if len(free) == 0 {
			return
		}
		tried++
		s.spread(want)
		rhs := make([]float64, len(free))
		for a, r := range free {
			rhs[a] = s.row(int(r), want[r])
		}
		solvers := map[string]func(*problem.Problem, []int32, []float64){
			"dense": s.solveDense, "conjugate gradients": s.solveConjugate,
			"sparse": func(p *problem.Problem, free []int32, rhs []float64) {
				if !s.trySparse(p) {
					t.Fatal("too big")
				}
				s.solveSparse(p, free, rhs)
			},
		}
		for name, solve := range solvers {
			tol := 1e-6
			if name == "conjugate gradients" {
				tol = 0.05 // inexact by design: the residual is small, not the error
			}
			e := append([]float64(nil), rhs...)
			solve(p, free, e)
			// Compare M·e with the right-hand side, relative to its size.
			got := make([]float64, n)
			for a, r := range free {
				got[r] = e[a]
			}
			s.spread(got)
			num, den := 0.0, 0.0
			for a, r := range free {
				d := s.row(int(r), got[r]) - rhs[a]
				num += d * d
				den += rhs[a] * rhs[a]
			}
			if !(math.Sqrt(num) <= tol*math.Sqrt(den)) && !(name == "conjugate gradients" && s.inexact) {
				t.Errorf("seed %d, %s: residual %v of %v", seed, name, math.Sqrt(num), math.Sqrt(den))
			}
		}
	})
	if tried < 100 {
		t.Errorf("only %d systems", tried)
	}
}

// The step of the quadratic model stays in its domain and is uphill.
func TestModelStep(t *testing.T) {
	problemtest.Each(t, 300, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x, ok := newtonAt(p)
		if !ok {
			return
		}
		w := &x.newton
		if !w.maximise(x, p) {
			t.Fatalf("seed %d: no uphill step at residual %v", seed, w.largest)
		}
		m := &w.model
		for r, d := range m.d {
			if d < m.low[r] || d > m.high[r] {
				t.Fatalf("seed %d: step %v outside [%v, %v]", seed, d, m.low[r], m.high[r])
			}
		}
		if w.value() <= 0 {
			t.Fatalf("seed %d: the model falls to %v", seed, w.value())
		}
	})
}

// A line search must end where the dual is no lower.
func TestSearchAscends(t *testing.T) {
	problemtest.Each(t, 300, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x, ok := newtonAt(p)
		if !ok || !x.newton.maximise(x, p) {
			return
		}
		before := dualOf(x, p)
		x.newton.search(x, p)
		if x.unbounded {
			t.Fatalf("seed %d: feasible problem found infeasible", seed)
		}
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
		if !ok || !x.newton.maximise(x, p) {
			return
		}
		w := &x.newton
		e := w.ray(x, p)
		before := dualOf(x, p)
		w.bracket(e, w.gain())
		w.move(x, e)
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
