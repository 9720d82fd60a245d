package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp/lcqptest"
)

// From the solution itself nothing is left to do; after a small change of the
// outputs a step or two do, without the method; and the answer is that of a cold
// start.
func TestPrimalDual(t *testing.T) {
	for _, m := range []Method{Auto{}, InteriorPoint{}} {
		ins := infertest.Additions(t, lcqptest.Add1, 40, 3, false)
		res, warms := results(len(ins)), make([]*Warm, len(ins))
		s := Settings{Method: m}
		require.NoError(t, SolveAll(ins, nil, s, res))
		for n, r := range res {
			warms[n] = new(Warm)
			r.SaveWarm(warms[n])
		}
		require.NoError(t, SolveAll(ins, warms, s, res))
		for n, r := range res {
			mustBeSolved(t, ins[n], r)
			if r.Stats.Iterations > 0 || r.Stats.Factorizations > 1 {
				t.Errorf("%s, %d: %+v for a solved problem", m.Name(), n, r.Stats)
			}
		}
		perturb(ins)
		require.NoError(t, SolveAll(ins, warms, s, res))
		without := 0
		for n, r := range res {
			mustBeSolved(t, ins[n], r)
			if r.Stats.Iterations == 0 && r.Stats.Factorizations <= 4 {
				without++
			}
			if cold := solve(t, ins[n], nil, s); !infertest.Near(r.PrimalValue, cold.PrimalValue, 1e-8) {
				t.Errorf("%s, %d: value %v warm, %v cold", m.Name(), n, r.PrimalValue, cold.PrimalValue)
			}
		}
		if without < 25 {
			t.Errorf("%s: only %d of %d need no more than the refinement", m.Name(), without, len(ins))
		}
	}
}
