package bilevel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// tight is a solver setting under which finite differences are meaningful.
var tight = infer.Settings{GapTolerance: 1e-13}

// randomProgram makes a feasible program with linear and squared potentials, a
// hard inequality and a hard equality, all with neural outputs.
func randomProgram(rng *rand.Rand, targets, deep, rules, potentials int) *hlmrf.Program {
	p := &hlmrf.Program{}
	for i := range targets {
		p.Targets = append(p.Targets, fmt.Sprintf("y%d", i))
	}
	for i := range deep {
		p.Deep = append(p.Deep, fmt.Sprintf("g%d", i))
	}
	for r := range rules {
		p.Rules = append(p.Rules, hlmrf.Rule{Weight: 0.2 + rng.Float64(), Squared: r%2 == 0})
	}
	p.HardRules = []hlmrf.Rule{{}, {}}
	row := func(n, hi int) (col []int32, val []float64) {
		for c := range hi {
			if rng.IntN(hi) < n {
				col = append(col, int32(c))
				val = append(val, rng.NormFloat64())
			}
		}
		return col, val
	}
	for k := range potentials {
		col, val := row(3, targets)
		if len(col) == 0 {
			col, val = []int32{int32(k % targets)}, []float64{1}
		}
		dc, dv := row(2, deep)
		p.AddPotential(int32(k%rules), col, val, dc, dv, 0.5*rng.NormFloat64())
	}
	// y0 + y1 + y2 = 1 and y3 <= 0.4 + 0.2 g0: feasible for every g in [0,1].
	p.Constraints.Append([]int32{0, 1, 2}, []float64{1, 1, 1}, nil, nil, -1)
	p.Constraints.Append([]int32{3}, []float64{1}, []int32{0}, []float64{-0.2}, -0.4)
	p.Relations = []hlmrf.Relation{hlmrf.Equal, hlmrf.LessEqual}
	p.ConstraintRule = []int32{0, 1}
	return p
}

// randomValue makes a value function of a random program.
func randomValue(t *testing.T, rng *rand.Rand, slots int) *ValueFunction {
	t.Helper()
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 12))
	require.NoError(t, err)
	f, err := New(template, slots, Options{Epsilon: 0.05, Solver: tight})
	require.NoError(t, err)
	return f
}

// uniform returns n numbers in [lo, hi).
func uniform(rng *rand.Rand, n int, lo, hi float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*rng.Float64()
	}
	return x
}
