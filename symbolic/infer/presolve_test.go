package infer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp/lcqptest"
)

// With every label fixed, presolve alone finds slacks, multipliers and value.
func TestPresolveClosesRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a := lcqptest.Add1(1e-3)
	g, digits := lcqptest.Softmax(rng, 2, 10, 3)
	require.NoError(t, a.SetDeep(g))
	a.Label(digits[0] + digits[1])
	res := solve(t, a.Instance, nil, Settings{})
	mustBeSolved(t, a.Instance, res)
	if res.Stats.RowsLeft != 0 || res.Stats.TargetsLeft != 0 {
		t.Errorf("%d rows and %d targets left", res.Stats.RowsLeft, res.Stats.TargetsLeft)
	}
	if res.TotalGap > 1e-15 {
		t.Errorf("gap %v", res.TotalGap)
	}
	if e := a.Program().Energy(res.Y, g, nil); !infertest.Near(res.Energy, e, 1e-12) {
		t.Errorf("energy %v, want %v", res.Energy, e)
	}
	p, d := a.Value(&res.Solution)
	if !infertest.Near(res.PrimalValue, p, 1e-12) || !infertest.Near(res.DualValue, d, 1e-9) {
		t.Errorf("values %v and %v, want %v and %v", res.PrimalValue, res.DualValue, p, d)
	}
}
