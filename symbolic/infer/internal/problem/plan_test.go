package problem_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// TestNoApproach: a value that is no approach is printed as one.
func TestNoApproach(t *testing.T) {
	if got := problem.Approach(200).String(); got != "no approach: 200" {
		t.Error(got)
	}
}

// All additions of a model have one layout; other labels, another one; and the
// layouts outlive the solve.
func TestPlanShares(t *testing.T) {
	in := infertest.Family(t, "add1-soft", 20*547)
	solve(t, in, nil, infer.Settings{})
	first := problem.LayoutsOf(in.Template, 0)[0]
	for c := range in.Components {
		if l := problem.LayoutsOf(in.Template, c)[0]; l != first {
			t.Fatalf("component %d has a layout of its own", c)
		}
	}
	require.NoError(t, in.Fix(int(in.Components[3].Targets[5]), 0.5))
	solve(t, in, nil, infer.Settings{})
	if l := problem.LayoutsOf(in.Template, 3)[0]; l == first || !l.IsFixed(5) {
		t.Error("a label does not change the layout")
	}
	in.FreeAll()
	solve(t, in, nil, infer.Settings{})
	if l := problem.LayoutsOf(in.Template, 3)[1]; l != first {
		t.Error("the first layout is forgotten")
	}
}

// Components that look alike but differ in one number must not share a layout.
func TestPlanTellsApart(t *testing.T) {
	in := infertest.New(6).EQ(-1, 1, 1, 0, 0, 0, 0).EQ(-1, 0, 0, 1, 2, 0, 0).EQ(-1, 0, 0, 0, 0, 1, 1).
		Square(1, -0.2, 1, 0, 0, 0, 0).Square(1, -0.2, 0, 0, 1, 0, 0).Square(1, -0.2, 0, 0, 0, 0, 0, 1).Instance(t, 0.1)
	mustBeSolved(t, in, solve(t, in, nil, infer.Settings{}))
	a, b, c := problem.LayoutsOf(in.Template, 0)[0], problem.LayoutsOf(in.Template, 1)[0], problem.LayoutsOf(in.Template, 2)[0]
	if a == b || a == c || b == c {
		t.Errorf("layouts are shared: %p %p %p", a, b, c)
	}
	// The memory of a plan is bounded, whatever labels come along.
	rng := rand.New(rand.NewPCG(3, 1))
	for range 2000 {
		in.FreeAll()
		for i := range in.Targets {
			if rng.IntN(2) == 0 {
				in.Lower[i], in.Upper[i] = 0.5, 0.5
			}
		}
		require.NoError(t, infer.Solve(in, nil, infer.Settings{}, new(infer.Result)))
	}
	if n := problem.LayoutsKept(in.Template); n > 100 {
		t.Errorf("%d layouts are kept", n)
	}
}

// Goroutines that start on a new template at once make one plan and agree.
func TestPlanConcurrently(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 5 {
		a := lcqptest.Add1(1e-3)
		var ins []*lcqp.Instance
		for range 8 {
			in, err := a.Template.NewInstance(1e-3)
			require.NoError(t, err)
			g, _ := lcqptest.Softmax(rng, 2, 10, 8)
			require.NoError(t, in.SetDeep(g))
			ins = append(ins, in)
		}
		res := results(len(ins))
		var wg sync.WaitGroup
		for n := range ins {
			wg.Go(func() {
				for _, m := range []problem.Method{infer.InteriorPoint{}, infer.Auto{}} {
					assert.NoError(t, infer.Solve(ins[n], nil, infer.Settings{Method: m}, res[n]))
				}
			})
		}
		wg.Wait()
		for n := range ins {
			mustBeEqual(t, solve(t, ins[n], nil, infer.Settings{}), res[n], "concurrent")
		}
	}
}
