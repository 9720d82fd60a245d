package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func runPresolve(t *testing.T, in *lcqp.Instance, level reduction) (*presolve, *Problem, bool) {
	t.Helper()
	pre, p := &presolve{tol: neverActive}, new(Problem)
	ok := pre.run(in, 0, level, p)
	return pre, p, ok
}

// a = ½, a + b = 1, b − c = 0: a chain that fixes everything.
func TestPresolveChain(t *testing.T) {
	in := newBuild(3).eq(-0.5, 1, 0, 0).eq(-1, 1, 1, 0).eq(0, 0, 1, -1).square(2, -0.2, 0, 0, 1).instance(t, 0.1)
	_, p, ok := runPresolve(t, in, reduceMerged)
	if !ok || p.Targets != 0 || p.Rows != 0 {
		t.Fatalf("ok %v, %d targets and %d rows left", ok, p.Targets, p.Rows)
	}
	_, p, _ = runPresolve(t, in, reduceFixed)
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
	in := newBuild(2).square(1, -2, 1, 1).linear(1, -1+1e-10, 1, 0).le(-1, 0, 1).square(1, -1, 1, 1).instance(t, 0.1)
	_, p, _ := runPresolve(t, in, reduceMerged)
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
	if e := a.Program().Energy(res.Y, g, nil); !near(res.Energy, e, 1e-12) {
		t.Errorf("energy %v, want %v", res.Energy, e)
	}
	p, d := a.Value(&res.Solution)
	if !near(res.PrimalValue, p, 1e-12) || !near(res.DualValue, d, 1e-9) {
		t.Errorf("values %v and %v, want %v and %v", res.PrimalValue, res.DualValue, p, d)
	}
}

// Values, points and multipliers must not depend on presolve beyond rounding
// where they are unique.
func TestPresolveIsTransparent(t *testing.T) {
	for seed := range uint64(150) {
		in := known(seed).Instance
		with, without := solve(t, in, nil, Settings{}), solve(t, in, nil, Settings{NoPresolve: true})
		if with.Status != Solved || without.Status != Solved {
			continue // TestRandom counts failures
		}
		if !near(with.PrimalValue, without.PrimalValue, 1e-7) {
			t.Errorf("seed %d: value %v with presolve, %v without", seed, with.PrimalValue, without.PrimalValue)
		}
		for i, y := range with.Y {
			if math.Abs(y-without.Y[i]) > 1e-4 {
				t.Errorf("seed %d: y[%d] is %v with presolve, %v without", seed, i, y, without.Y[i])
			}
		}
	}
}

// Contradictions that presolve finds come with a valid proof.
func TestPresolveContradictions(t *testing.T) {
	for name, b := range map[string]*build{
		"one row":             newBuild(2).le(0.5, 1, 1),
		"equality too small":  newBuild(2).eq(-3, 1, 1),
		"equality too big":    newBuild(2).eq(3, 1, -1),
		"two equalities":      newBuild(1).eq(-0.25, 1).eq(-0.5, 1),
		"chain":               newBuild(3).eq(-1, 1, 0, 0).eq(0, 1, -1, 0).eq(0, 0, 1, -1).le(-0.5, 0, 0, 1),
		"chain of equalities": newBuild(3).eq(-0.3, 1, 0, 0).eq(-1, 1, 2, 0).eq(-1, 0, 1, 1).eq(-0.1, 0, 0, 1),
	} {
		in := b.square(1, -0.5, 1).instance(t, 0.1)
		pre, _, ok := runPresolve(t, in, reduceMerged)
		if ok {
			t.Errorf("%s: not noticed", name)
			continue
		}
		c := pre.certificate()
		if m := c.Margin(in); !(m > 1e-9) {
			t.Errorf("%s: margin %v of %+v", name, m, c)
		}
	}
}

// A contradiction of fixed labels is found as well.
func TestPresolveFixedContradiction(t *testing.T) {
	in := newBuild(2).eq(-1, 1, 1).instance(t, 0.1)
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

// The ranges kept of the last box are those of the box, whether it stays or not.
func TestRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var r ranges
	layouts := 0
	problems(t, 60, true, func(t *testing.T, seed uint64, p *Problem) {
		layouts++
		lower, upper := slices.Clone(p.Lower), slices.Clone(p.Upper)
		for round := range 3 {
			r.update(p.layout, lower, upper)
			for f := range len(p.formPtr) - 1 {
				low, up := 0.0, 0.0
				if f < p.Targets {
					low, up = lower[f], upper[f]
				} else {
					low, up = p.forms.bounds(f-p.Targets, lower, upper)
				}
				if r.low[f] != low || r.up[f] != up {
					t.Fatalf("seed %d, round %d: range [%v, %v] of %d, want [%v, %v]", seed, round, r.low[f], r.up[f], f, low, up)
				}
			}
			if round == 1 {
				upper[rng.IntN(len(upper))] += 0.5
			}
		}
	})
	if layouts < 30 {
		t.Errorf("only %d problems", layouts)
	}
}

// run finds the end of the numbers without a gap, wherever it is.
func TestRun(t *testing.T) {
	for n := range 40 {
		for gap := 1; gap <= n; gap++ {
			rows := make([]int32, n)
			for i := range rows {
				rows[i] = int32(7 + i)
				if i >= gap {
					rows[i] += int32(1 + i%3*gap)
				}
			}
			slices.Sort(rows)
			if got := run(rows); got != gap {
				t.Fatalf("%d of %v follow each other, want %d", got, rows, gap)
			}
		}
	}
}
