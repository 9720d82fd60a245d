package activeset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// Where the refinement does not settle it leaves the start as it was.
func TestPrimalDualLeavesStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	settled, not := 0, 0
	problemtest.Each(t, 300, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		for k := range p.Dual {
			p.Dual[k] = max(rng.NormFloat64(), 0)
		}
		y, dual := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
		var x primalDual
		if x.run(p, nil, sparse.Limits{}, math.Inf(1)) {
			settled++
			if v := p.Evaluate(make([]float64, p.Targets)); v.Violation > 1e-6 || !infertest.Near(v.Primal, v.Dual, 1e-5) {
				t.Errorf("seed %d: settled at %+v", seed, v)
			}
			return
		}
		not++
		mustStay(t, seed, p, y, dual)
	})
	t.Logf("%d settled, %d not", settled, not)
	if settled < 50 || not < 5 {
		t.Errorf("%d settled, %d not", settled, not)
	}
}

// Where more rows are tight for each free target than is allowed, nothing is tried.
func TestPrimalDualCrowded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	crowded := 0
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		for k := range p.Dual {
			p.Dual[k] = max(rng.NormFloat64(), 0)
		}
		var x primalDual
		x.run(p, nil, sparse.Limits{}, -1)
		ratio := x.tight(p)
		if ratio == 0 {
			return
		}
		crowded++
		y, dual, before := slices.Clone(p.Y), slices.Clone(p.Dual), p.Stats.Factorizations
		if x.run(p, nil, sparse.Limits{}, ratio*.99) || p.Stats.Factorizations > before {
			t.Errorf("seed %d: %v tight rows a free target, and a factor", seed, ratio)
		}
		mustStay(t, seed, p, y, dual)
		if x.run(p, nil, sparse.Limits{}, ratio); p.Stats.Factorizations == before {
			t.Errorf("seed %d: %v tight rows a free target were allowed, and nothing was tried", seed, ratio)
		}
	})
	if crowded < 20 {
		t.Errorf("%d problems had tight rows", crowded)
	}
}

// mustStay fails unless the point in p is the start that was copied before.
func mustStay(t *testing.T, seed uint64, p *problem.Problem, y, dual []float64) {
	t.Helper()
	require.Equalf(t, y, p.Y, "seed %d: the start has moved", seed)
	require.Equalf(t, dual, p.Dual, "seed %d: the multipliers of the start have changed", seed)
}

// A thousand changes that become a tenth in a step are three steps from the end; those that
// do not become fewer never get there.
func TestLeft(t *testing.T) {
	if got := left(10000, 1000); math.Abs(got-3) > 1e-12 {
		t.Errorf("1000 after 10000: %v steps, want 3", got)
	}
	if got := left(math.MaxInt, 1000); got > 1 {
		t.Errorf("1000 at first: %v steps, want less than one", got)
	}
	for _, last := range []int{1000, 999} {
		if got := left(last, 1000); !math.IsInf(got, 1) {
			t.Errorf("1000 after %d: %v steps, want no end", last, got)
		}
	}
}

// Two targets in [0, 1] do not add up to 3. Once both are held at their bounds no state of a row or
// bound is wrong, and yet nothing is settled.
func TestPrimalDualImpossible(t *testing.T) {
	p := new(problem.Problem)
	p.ResizeTargets(2)
	for i := range 2 {
		p.Lower[i], p.Upper[i], p.Quad[i], p.Lin[i], p.Y[i] = 0, 1, 0.1, 0, 0.5
	}
	var list problem.RowList
	list.Reset(2)
	list.Add(lcqp.HardEQ, -3, 0, 0, 0, 0, []int32{0, 1}, []float64{1, 1})
	list.Fill(p, nil)
	y, dual := slices.Clone(p.Y), slices.Clone(p.Dual)
	var x primalDual
	if x.run(p, nil, sparse.Limits{}, math.Inf(1)) {
		t.Errorf("settled at %v", p.Y)
	}
	mustStay(t, 0, p, y, dual)
}
