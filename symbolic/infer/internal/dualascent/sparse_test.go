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
		w.system.sparse = true
		w.system.assemble(x, p, w.active, w.at, damping)
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

// The sparse factorisation solves the principal system of the free positions, as
// elimination does, also when one analysis serves several sets of free positions.
func TestSparseAgainstElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	systems(t, 100, 0.01, func(t *testing.T, seed uint64, s *system, p *problem.Problem, m []float64, free []int32, rhs []float64) {
		n := len(s.active)
		for round := range 3 {
			if !s.trySparse(p) || !s.analysed {
				t.Fatal("too big")
			}
			want := infertest.Gauss(t, m, n, free, rhs)
			got := slices.Clone(rhs)
			before := p.Stats.Factorizations
			s.solveSparse(p, free, got)
			if p.Stats.Factorizations != before+1 {
				t.Errorf("seed %d: %d factorisations counted", seed, p.Stats.Factorizations-before)
			}
			for a := range want {
				if math.Abs(got[a]-want[a]) > 1e-6*(1+math.Abs(want[a])) {
					t.Errorf("seed %d, round %d: solution %v, want %v", seed, round, got[a], want[a])
				}
			}
			if len(free) == 1 {
				return
			}
			at := rng.IntN(len(free)) // another set
			free, rhs = slices.Delete(slices.Clone(free), at, at+1), slices.Delete(slices.Clone(rhs), at, at+1)
		}
	})
}

// A system of too many rows is refused, once for the whole solve.
func TestSparseRefuses(t *testing.T) {
	n := sparseLimit + 10
	b := infertest.New(n).Square(1, 0.5, -1)
	for i := range n - 1 {
		b.Program.Potentials.Append([]int32{int32(i), int32(i + 1)}, []float64{-1, -1}, nil, nil, 0.5)
		b.Program.PotentialRule = append(b.Program.PotentialRule, 0)
	}
	in := b.Instance(t, 0.1)
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(problem.Problem)
	pre.Run(in, 0, problem.ReduceMerged, p)
	pre.Start(p, nil, nil)
	x := new(Ascent)
	x.Init(p)
	x.newton.collect(x)
	s := &x.newton.system
	s.sparse = true
	s.assemble(x, p, x.newton.active, x.newton.at, 0.01)
	if s.trySparse(p) || s.sparse {
		t.Fatalf("a system of %d rows is factored", len(s.active))
	}
	s.assemble(x, p, x.newton.active[:1], x.newton.at, 0.01)
	if s.trySparse(p) {
		t.Error("it was tried again")
	}
	// The system is solved all the same.
	free, rhs := []int32{}, []float64{}
	s.assemble(x, p, x.newton.active, x.newton.at, 0.01)
	for r := range s.active {
		free, rhs = append(free, int32(r)), append(rhs, 1)
	}
	p.Stats.Krylov = 0
	s.solve(p, free, rhs)
	if p.Stats.Krylov == 0 {
		t.Error("conjugate gradients were not used")
	}
}
