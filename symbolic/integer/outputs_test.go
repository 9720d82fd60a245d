package integer_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/integer"
)

// randomOutputs is a program of three targets, of which label fixes some, and rows of outputs.
func randomOutputs(rng *rand.Rand, rows []int) (p *hlmrf.Program, label []float64) {
	p = &hlmrf.Program{
		Targets: []string{"a", "b", "c"}, HardRules: []hlmrf.Rule{{Text: "hard"}},
		Rules: []hlmrf.Rule{{Text: "one", Weight: 1}, {Text: "two", Weight: 2, Squared: true}, {Text: "none"}},
	}
	for _, classes := range rows {
		for range classes {
			p.Deep = append(p.Deep, "g")
		}
	}
	for range p.Targets {
		label = append(label, []float64{0, 1, math.NaN()}[rng.IntN(3)])
	}
	some := func(n int) (col []int32, val []float64) {
		for i := range n {
			if rng.IntN(2) == 0 {
				col, val = append(col, int32(i)), append(val, float64(rng.IntN(5)-2))
			}
		}
		return col, val
	}
	for range 2 + rng.IntN(4) {
		col, val := some(len(p.Targets))
		deep, deepVal := some(len(p.Deep))
		constant := float64(rng.IntN(4)-3) / 2
		switch rng.IntN(6) {
		case 0:
			p.AddConstraint(hlmrf.Equal, 0, col, val, deep, deepVal, math.Round(constant))
		case 1:
			p.AddConstraint(hlmrf.LessEqual, 0, col, val, deep, deepVal, constant)
		default:
			p.AddPotential(int32(rng.IntN(len(p.Rules))), col, val, deep, deepVal, constant)
		}
	}
	return p, label
}

// bruteOutputs tries every class of every row with every value of the free targets.
func bruteOutputs(p *hlmrf.Program, label []float64, rows []int) (states [][]int) {
	state, g, y := make([]int, len(rows)), make([]float64, len(p.Deep)), make([]float64, len(label))
	fits := func() bool {
		for bits := range 1 << len(label) {
			fixed := true
			for i, v := range label {
				if y[i] = float64(bits >> i & 1); !math.IsNaN(v) && v != y[i] {
					fixed = false
				}
			}
			if fixed && p.Violation(y, g) < 1e-9 && p.Energy(y, g, nil) < 1e-9 {
				return true
			}
		}
		return false
	}
	var try func(r, at int)
	try = func(r, at int) {
		if r == len(rows) {
			if fits() {
				states = append(states, append([]int(nil), state...))
			}
			return
		}
		for c := range rows[r] {
			state[r], g[at+c] = c, 1
			try(r+1, at+rows[r])
			g[at+c] = 0
		}
	}
	try(0, 0)
	return states
}

// TestOutputs: on random programs the states are those that are found by trying all.
func TestOutputs(t *testing.T) {
	rows := []int{2, 3, 2}
	some, none := 0, 0
	for seed := range uint64(400) {
		p, label := randomOutputs(rand.New(rand.NewPCG(seed, 9)), rows)
		want := bruteOutputs(p, label, rows)
		got, search, err := integer.Outputs(context.Background(), p, label, rows, integer.ListSettings{})
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, want, got, "seed %d", seed)
		if len(want) > 0 {
			require.Equal(t, integer.Listed, search)
			some++
		} else {
			require.Equal(t, integer.Infeasible, search)
			none++
		}
	}
	require.Greater(t, some, 100)
	require.Greater(t, none, 20)
}

// TestOutputsLimits: too many states are none, and rows must be those of the program.
func TestOutputsLimits(t *testing.T) {
	p := &hlmrf.Program{Deep: []string{"a", "b", "c", "d"}}
	got, search, err := integer.Outputs(context.Background(), p, nil, []int{2, 2}, integer.ListSettings{MaxPoints: 3})
	require.NoError(t, err)
	require.Equal(t, integer.PointLimit, search)
	require.Empty(t, got)
	got, search, err = integer.Outputs(context.Background(), p, nil, []int{2, 2}, integer.ListSettings{MaxPoints: 4})
	require.NoError(t, err)
	require.Equal(t, integer.Listed, search)
	require.Equal(t, [][]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, got)
	_, _, err = integer.Outputs(context.Background(), p, nil, []int{3, 3}, integer.ListSettings{})
	require.ErrorContains(t, err, "6 classes for 4")
}
