package problem_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// unprepared solves a copy of an instance on a template of its own, for which no
// bounds are known.
func unprepared(t *testing.T, in *lcqp.Instance, s infer.Settings) *infer.Result {
	t.Helper()
	c, err := lcqp.NewInstance(in.Program(), in.Epsilon)
	require.NoError(t, err)
	for to, from := range map[*[]float64][]float64{&c.B: in.B, &c.Weights: in.Weights, &c.Lower: in.Lower,
		&c.Upper: in.Upper, &c.Prox: in.Prox, &c.Center: in.Center} {
		copy(*to, from)
	}
	return solve(t, c, nil, s)
}

// mustNotDepend solves an instance and compares with the same solve without
// bounds, bit for bit.
func mustNotDepend(t *testing.T, in *lcqp.Instance, name string) {
	t.Helper()
	for _, s := range []infer.Settings{{}, {Method: infer.InteriorPoint{}}} {
		got, want := solve(t, in, nil, s), unprepared(t, in, s)
		mustBeEqual(t, want, got, name)
		for j, v := range want.SlackDual {
			if got.SlackDual[j] != v {
				t.Fatalf("%s: multiplier of slack %d is %v, want %v", name, j, got.SlackDual[j], v)
			}
		}
		if got.Energy != want.Energy || got.MaxViolation != want.MaxViolation {
			t.Fatalf("%s: energy %v and violation %v, want %v and %v", name, got.Energy, got.MaxViolation, want.Energy, want.MaxViolation)
		}
		if got.Status != infer.Solved && got.Status != infer.Infeasible {
			continue
		}
		if got.Status == infer.Infeasible {
			if !(got.Certificate.Margin(in) > 0) {
				t.Fatalf("%s: the proof of infeasibility does not hold", name)
			}
		} else if r := lcqp.Residuals(in, &got.Solution); !(r.Max() <= 1e-6) {
			t.Fatalf("%s: claimed to be solved, but %+v", name, r)
		}
	}
}

// Random models with targets fixed: other labels, freed targets, weights, ε and
// proximal terms must all be noticed.
func TestActivityBoundsOnRandomModels(t *testing.T) {
	made := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 22))
		k := lcqptest.Random(rng, lcqptest.Shape{Targets: 60, Rows: 150, Separate: seed%3 == 0})
		in := k.Instance
		b := append([]float64(nil), in.B...)
		change := []func(){
			func() {},
			func() { in.Fix(rng.IntN(in.Targets), float64(rng.IntN(2))) },
			func() { in.Fix(rng.IntN(in.Targets), rng.Float64()) },
			func() { in.Free(rng.IntN(in.Targets)) },
			func() { in.Epsilon *= 0.5 + rng.Float64() },
			func() { in.SetProx([]float64{rng.Float64()}, k.Solution.Y) },
			func() {
				for r := range in.Weights {
					in.Weights[r] *= 0.5 + rng.Float64()
				}
			},
			func() { in.FreeAll() },
		}
		for i := range in.Targets {
			if rng.IntN(3) > 0 {
				in.Fix(i, k.Solution.Y[i])
			}
		}
		for n, f := range change {
			f()
			for move := range 3 {
				for row := range in.B {
					if row >= in.Constraints {
						in.B[row] = b[row] + float64(move)*(rng.Float64()-0.5)
					}
				}
				mustNotDepend(t, in, fmt.Sprintf("seed %d, change %d, move %d", seed, n, move))
			}
		}
		n, _ := problem.BoundsKept(in.Template)
		made += n
	}
	if made < 50 {
		t.Errorf("only %d bounds were made", made)
	}
}

// Components whose rows do not follow each other, with a layout in common, and
// goroutines that make bounds at once.
func TestActivityBoundsShared(t *testing.T) {
	in := infertest.Family(t, "add1-soft", 20*547)
	for round := range 4 {
		got := solve(t, in, nil, infer.Settings{Workers: 1 + 3*(round%2)})
		mustBeEqual(t, unprepared(t, in, infer.Settings{}), got, "family")
	}
	if n, _ := problem.BoundsKept(in.Template); n != 1 {
		t.Errorf("%d bounds for components that are alike", n)
	}
	ins := infertest.Additions(t, lcqptest.Add1, 60, 3, true)
	var want []*infer.Result
	for _, in := range ins {
		want = append(want, unprepared(t, in, infer.Settings{}))
	}
	for range 4 {
		res := results(len(ins))
		require.NoError(t, infer.SolveAll(ins, nil, infer.Settings{Workers: 4}, res))
		for i := range ins {
			mustBeEqual(t, want[i], res[i], "concurrent")
		}
	}
}

// Bounds are made for what comes back, and their memory is bounded.
func TestActivityBoundsIsBounded(t *testing.T) {
	a := lcqptest.Add1(1e-3)
	var res infer.Result
	visit := func(label float64) {
		require.NoError(t, a.Fix(0, label))
		require.NoError(t, infer.Solve(a.Instance, nil, infer.Settings{}, &res))
	}
	for n := range 50 {
		visit(float64(n) / 100)
	}
	if n, _ := problem.BoundsKept(a.Template); n != 0 {
		t.Errorf("%d bounds for labels that do not come back", n)
	}
	for n := range 3000 {
		visit(float64(n) / 3000)
		visit(float64(n) / 3000)
	}
	n, values := problem.BoundsKept(a.Template)
	if n == 0 || values > problem.BoundsLimit {
		t.Errorf("%d bounds of %d numbers, at most %d allowed", n, values, problem.BoundsLimit)
	}
}
