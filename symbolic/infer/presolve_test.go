package infer

import (
	"math"
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

// a = ½, a + b = 1, b − c = 0: a chain that fixes everything.
func TestPresolveChain(t *testing.T) {
	in := infertest.New(3).EQ(-0.5, 1, 0, 0).EQ(-1, 1, 1, 0).EQ(0, 0, 1, -1).Square(2, -0.2, 0, 0, 1).Instance(t, 0.1)
	_, p, ok := runPresolve(t, in, problem.ReduceMerged)
	if !ok || p.Targets != 0 || p.Rows != 0 {
		t.Fatalf("ok %v, %d targets and %d rows left", ok, p.Targets, p.Rows)
	}
	_, p, _ = runPresolve(t, in, problem.ReduceFixed)
	if p.Targets != 3 || p.Rows != 4 {
		t.Errorf("%d targets and %d rows left without presolve", p.Targets, p.Rows)
	}
	res := solve(t, in, nil, Settings{})
	mustBeSolved(t, in, res)
	for i, y := range res.Y {
		if y != 0.5 {
			t.Errorf("y[%d] = %v, want 0.5", i, y)
		}
	}
	if res.Stats.Iterations != 0 {
		t.Errorf("%d iterations for a problem without freedom", res.Stats.Iterations)
	}
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

// Values, points and multipliers must not depend on presolve beyond rounding
// where they are unique.
func TestPresolveIsTransparent(t *testing.T) {
	for seed := range uint64(150) {
		in := infertest.Known(seed).Instance
		with, without := solve(t, in, nil, Settings{}), solve(t, in, nil, Settings{NoPresolve: true})
		if with.Status != Solved || without.Status != Solved {
			continue // TestRandom counts failures
		}
		if !infertest.Near(with.PrimalValue, without.PrimalValue, 1e-7) {
			t.Errorf("seed %d: value %v with presolve, %v without", seed, with.PrimalValue, without.PrimalValue)
		}
		for i, y := range with.Y {
			if math.Abs(y-without.Y[i]) > 1e-4 {
				t.Errorf("seed %d: y[%d] is %v with presolve, %v without", seed, i, y, without.Y[i])
			}
		}
	}
}

// A contradiction of fixed labels is found as well.
func TestPresolveFixedContradiction(t *testing.T) {
	in := infertest.New(2).EQ(-1, 1, 1).Instance(t, 0.1)
	for i := range 2 {
		if err := in.Fix(i, 1); err != nil {
			t.Fatal(err)
		}
	}
	res := solve(t, in, nil, Settings{})
	if res.Status != Infeasible || !(res.Certificate.Margin(in) > 0.5) {
		t.Errorf("%v with %+v", res.Status, res.Certificate)
	}
	in.FreeAll()
	mustBeSolved(t, in, solve(t, in, nil, Settings{}))
}
