package infer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
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

// folding is a program in which presolve folds potentials into the costs of their targets: a pair of
// squares that mirror each other, a linear and a squared potential that are active in the whole
// box. Of two equal squares with one mirror image all stay, and so do potentials of two targets.
func folding(t *testing.T) *lcqp.Instance {
	return infertest.New(3).
		Square(2, -0.3, 1).Linear(0.2, -0.1, 1).Square(2, 0.3, -1). // (y₀ − .3)², a row between its halves
		Linear(0.4, 0.1, 1).                                        // y₀ + .1 > 0
		Square(0.7, 0.2, 0, 1).                                     // y₁ + .2 > 0
		Square(1, -0.6, 0, 0, 1).Square(1, -0.6, 0, 0, 1).Square(1, 0.6, 0, 0, -1).
		Linear(1.5, 0, -1, 1).Linear(1, 0, 0, -1, 1).
		LE(-1.4, 1, 1, 1).
		Instance(t, 1e-2)
}

// What presolve folds into the costs of targets comes back with the slack, the multiplier and
// the energy that it has as a row.
func TestPresolveFolds(t *testing.T) {
	in := folding(t)
	exact := Settings{GapTolerance: 1e-13, FeasibilityTolerance: 1e-12, StationarityTolerance: 1e-11}
	res := solve(t, in, nil, exact)
	mustBeSolved(t, in, res)
	if left := res.Stats.RowsLeft; left != 6 { // two equal squares are one row
		t.Errorf("%d rows left", left)
	}
	exact.NoPresolve = true
	want := solve(t, in, nil, exact)
	mustBeSolved(t, in, want)
	if want.Stats.RowsLeft != 11 {
		t.Errorf("%d rows left without presolve", want.Stats.RowsLeft)
	}
	for name, pair := range map[string][2][]float64{
		"y": {res.Y, want.Y}, "slack": {res.Slack, want.Slack}, "dual": {res.Dual, want.Dual}, "slack dual": {res.SlackDual, want.SlackDual},
		"lower dual": {res.LowerDual, want.LowerDual}, "upper dual": {res.UpperDual, want.UpperDual},
		"values": {{res.PrimalValue, res.DualValue, res.Energy}, {want.PrimalValue, want.DualValue, want.Energy}},
	} {
		for i, v := range pair[0] {
			if !infertest.Near(v, pair[1][i], 1e-9) {
				t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
				break
			}
		}
	}
}
