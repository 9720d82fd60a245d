package infer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// infeasible returns an instance whose hard constraints contradict each other.
// The contradiction is hidden: it is a positive combination of two to four
// random rows that no point of the box satisfies by at least margin, and each
// row alone can be satisfied. Half of the rows of a Random problem surround it.
func infeasible(t *testing.T, rng *rand.Rand, shape lcqptest.Shape, margin float64) *lcqp.Instance {
	t.Helper()
	k := lcqptest.Random(rng, shape)
	p := k.Instance.Program()
	n := len(p.Targets)
	// Rows that sum, with weights mu, to a row that is at least margin on the
	// box: the constant of the last one is chosen for it.
	rows := 2 + rng.IntN(3)
	pull := make([]float64, n)
	constant := 0.0
	for r := range rows {
		var col []int32
		var val []float64
		for i := range n {
			if rng.IntN(n) < 3 || n == 1 {
				col = append(col, int32(i))
				val = append(val, rng.NormFloat64())
			}
		}
		mu := 0.5 + rng.Float64()
		for j, i := range col {
			pull[i] += mu * val[j]
		}
		c := rng.NormFloat64()
		if r == rows-1 {
			low := 0.0
			for i, v := range pull {
				low += min(v*k.Instance.Lower[i], v*k.Instance.Upper[i])
			}
			c = (margin - low - constant) / mu
		}
		constant += mu * c
		relation := hlmrf.LessEqual
		if rng.IntN(3) == 0 {
			relation = hlmrf.Equal
			if rng.IntN(2) == 0 {
				c = -c
				for j := range val {
					val[j] = -val[j]
				}
			}
		}
		p.AddConstraint(relation, 0, col, val, nil, nil, c)
	}
	in, err := lcqp.NewInstance(p, k.Instance.Epsilon)
	require.NoError(t, err)
	require.NoError(t, in.SetDeep(k.Deep))
	for i := range n {
		if lo := k.Instance.Lower[i]; lo == k.Instance.Upper[i] {
			require.NoError(t, in.Fix(i, lo))
		}
	}
	return in
}
