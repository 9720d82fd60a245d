package hlmrf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
)

// randomProgram has rows with coefficients −1, 0.5 and 1, so that many of them are
// settled by some of their atoms.
func randomProgram(rng *rand.Rand, targets, deep, rows int) *hlmrf.Program {
	p := &hlmrf.Program{Rules: []hlmrf.Rule{{Weight: 0.5}, {Weight: 2, Squared: true}}, HardRules: []hlmrf.Rule{{Text: "hard"}}}
	for range targets {
		p.Targets = append(p.Targets, "y")
	}
	for range deep {
		p.Deep = append(p.Deep, "g")
	}
	pick := func(n int) (col []int32, val []float64) {
		for i := range n {
			if rng.IntN(n) < 2 {
				col = append(col, int32(i))
				val = append(val, []float64{-1, 0.5, 1}[rng.IntN(3)])
			}
		}
		return col, val
	}
	for k := range rows {
		col, val := pick(targets)
		deepCol, deepVal := pick(deep)
		constant := float64(rng.IntN(7)-4) / 2
		if k%4 == 0 {
			p.AddConstraint(hlmrf.LessEqual, 0, col, val, deepCol, deepVal, constant-1)
			continue
		}
		p.AddPotential(int32(rng.IntN(2)), col, val, deepCol, deepVal, constant)
	}
	return p
}

// Energy, Φ and feasibility are those of the whole program at every point that has
// the labels.
func TestConditionKeepsTheEnergy(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	dropped, contradictions := 0, 0
	for range 400 {
		p := randomProgram(rng, 6, 4, 30)
		label := make([]float64, 6)
		for i := range label {
			label[i] = []float64{0, 1, 0.25, math.NaN()}[rng.IntN(4)]
		}
		c, err := p.Condition(label)
		if err != nil {
			contradictions++
			mustBeInfeasible(t, rng, p, label)
			continue
		}
		require.NoError(t, c.Program.Check())
		dropped += p.Potentials.Len() - c.Program.Potentials.Len()
		for range 10 {
			y, g, free := slices.Clone(label), make([]float64, 4), make([]float64, len(c.Free))
			for j := range g {
				g[j] = math.Round(rng.Float64()*4) / 4
			}
			for k, i := range c.Free {
				free[k] = math.Round(rng.Float64()*4) / 4
				y[i] = free[k]
			}
			want, got := make([]float64, 2), make([]float64, 2)
			p.Incompatibility(y, g, want)
			c.Program.Incompatibility(free, g, got)
			if math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12 {
				t.Fatalf("labels %v: Φ = %v, want %v", label, got, want)
			}
			if v, w := c.Program.Violation(free, g), p.Violation(y, g); v != w {
				t.Fatalf("labels %v: violation %v, want %v", label, v, w)
			}
		}
	}
	if dropped < 2000 || contradictions < 5 || contradictions > 200 {
		t.Errorf("%d potentials dropped and %d contradictions: the programs are no test", dropped, contradictions)
	}
}

func mustBeInfeasible(t *testing.T, rng *rand.Rand, p *hlmrf.Program, label []float64) {
	t.Helper()
	for range 200 {
		y, g := slices.Clone(label), make([]float64, len(p.Deep))
		for i := range y {
			if math.IsNaN(y[i]) {
				y[i] = math.Round(rng.Float64())
			}
		}
		for j := range g {
			g[j] = math.Round(rng.Float64())
		}
		if p.Violation(y, g) == 0 {
			t.Fatalf("labels %v: %v is feasible with outputs %v", label, y, g)
		}
	}
}

// Of friends with y0 given, the equality stays, the potential of y0 alone is a
// constant, and y0 ≤ g0 bounds g0.
func TestConditionByHand(t *testing.T) {
	nan := math.NaN()
	c, err := friends().Condition([]float64{0.25, nan})
	require.NoError(t, err)
	p := c.Program
	if !slices.Equal(c.Free, []int{1}) || !slices.Equal(p.Targets, []string{"y1"}) {
		t.Errorf("free %v, targets %v", c.Free, p.Targets)
	}
	if p.Constraints.Len() != 2 || !slices.Equal(p.Constraints.Const, []float64{-0.75, 0.25}) || p.Relations[0] != hlmrf.Equal {
		t.Errorf("constraints %+v %v", p.Constraints, p.Relations)
	}
	if !slices.Equal(p.Potentials.Const, []float64{0.25, 0.25, 0.25}) || !slices.Equal(p.PotentialRule, []int32{0, 1, 1}) {
		t.Errorf("potentials %+v of rules %v", p.Potentials, p.PotentialRule)
	}
	// With y0 = 0 the second constraint says nothing; all given, no row has a target.
	c, err = friends().Condition([]float64{0, 1})
	require.NoError(t, err)
	if n := c.Program.Constraints.Len(); n != 0 || len(c.Free) != 0 || len(c.Program.Potentials.Col) != 0 {
		t.Errorf("%d constraints, free %v, potentials %+v", n, c.Free, c.Program.Potentials)
	}
}

func TestConditionRefuses(t *testing.T) {
	for _, c := range []struct {
		label []float64
		want  string
	}{
		{[]float64{1}, "1 labels for 2 targets"},
		{[]float64{1.5, 0}, "label 1.5 of target y0"},
		{[]float64{1, -1}, "label -1 of target y1"},
		{[]float64{1, 1}, "constraint 0 (h0): its left side is in [1, 1], not = 0"},
		{[]float64{0, 0.5}, "constraint 0 (h0): its left side is in [-0.5, -0.5], not = 0"},
	} {
		_, err := friends().Condition(c.label)
		assert.ErrorContainsf(t, err, c.want, "labels %v", c.label)
	}
}
