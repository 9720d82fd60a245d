package infer

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func runPresolve(t *testing.T, in *lcqp.Instance, level problem.Reduction) (*problem.Presolve, *Problem, bool) {
	t.Helper()
	pre, p := &problem.Presolve{Tol: problem.NeverActive}, new(Problem)
	ok := pre.Run(in, 0, level, p)
	return pre, p, ok
}

// Rows that the box keeps inactive are dropped, even if rounding lets them
// peep out by 1e-10.
func TestPresolveDropsRows(t *testing.T) {
	in := infertest.New(2).Square(1, -2, 1, 1).Linear(1, -1+1e-10, 1, 0).LE(-1, 0, 1).Square(1, -1, 1, 1).Instance(t, 0.1)
	_, p, _ := runPresolve(t, in, problem.ReduceMerged)
	if p.Rows != 1 {
		t.Errorf("%d rows left, want only the last", p.Rows)
	}
	res := solve(t, in, nil, Settings{})
	mustBeSolved(t, in, res)
	for _, row := range []int{0, 1, 2} {
		if res.Dual[row] != 0 {
			t.Errorf("dropped row %d has multiplier %v", row, res.Dual[row])
		}
	}
}

// With every label fixed, presolve alone finds slacks, multipliers and value.
func TestPresolveClosesRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a := lcqptest.Add1(1e-3)
	g, digits := lcqptest.Softmax(rng, 2, 10, 3)
	if err := a.SetDeep(g); err != nil {
		t.Fatal(err)
	}
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
