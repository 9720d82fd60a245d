package problem_test

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// recovered solves an instance and lets the judge see whether every multiplier that
// postsolve had to find satisfies the optimality conditions of the original rows.
func recovered(t *testing.T, name string, in *lcqp.Instance) *infer.Result {
	t.Helper()
	res := solve(t, in, nil, infer.Settings{GapTolerance: 1e-11, StationarityTolerance: 1e-9})
	if !res.Status.OK() {
		t.Fatalf("%s: %v", name, res.Status)
	}
	r := lcqp.Residuals(in, &res.Solution)
	if !(r.Max() <= 1e-7) {
		t.Errorf("%s: %+v", name, r)
	}
	p, d := in.Value(&res.Solution)
	if !infertest.Near(p, d, 1e-8) || !infertest.Near(res.PrimalValue, p, 1e-9) || !infertest.Near(res.DualValue, d, 1e-8) {
		t.Errorf("%s: values %v and %v, the instance has %v and %v", name, res.PrimalValue, res.DualValue, p, d)
	}
	return res
}

// The multipliers of equalities that presolve used up satisfy the optimality
// conditions of the whole problem: of chains, of trees of merged targets, of rings of
// them, and where a bound holds the place of all that were merged.
func TestPostsolveEqualities(t *testing.T) {
	for name, c := range map[string]struct {
		b           *infertest.Build
		chain, tree int
	}{
		"chain":                    {infertest.New(3).EQ(-0.5, 1, 0, 0).EQ(-1, 1, 1, 0).EQ(0, 0, 1, -1).Square(2, -0.2, 0, 0, 1).Linear(1, 0.3, -1, -1, 1), 3, 0},
		"pair":                     {infertest.New(2).EQ(0, 1, -1).Square(1, -0.2, 1, 0).Square(3, 0.9, 0, -1), 0, 1},
		"pair, opposite":           {infertest.New(2).EQ(-1, 1, 1).Square(1, 0.8, -1, 0).Linear(2, -0.1, 0, 1), 0, 1},
		"pair, scaled":             {infertest.New(2).EQ(0, 2, -1).Square(1, 0.4, -1, 0).Linear(2, -0.3, 0, 1), 0, 1},
		"path":                     {infertest.New(4).EQ(0, 1, -1, 0, 0).EQ(-0.1, 0, 1, -1, 0).EQ(-1, 0, 0, 1, 1).Square(1, 0.9, -1, 0, 0, 0).Square(2, 0.7, 0, 0, 0, -1), 0, 3},
		"star":                     {infertest.New(4).EQ(0, 1, -1, 0, 0).EQ(0, 1, 0, -1, 0).EQ(-0.2, 1, 0, 0, -1).Square(1, 0.9, -1, 0, 0, 0).Linear(2, -0.1, 0, 1, 1, 0), 0, 3},
		"ring":                     {infertest.New(3).EQ(0, 1, -1, 0).EQ(0, 0, 1, -1).EQ(0, 1, 0, -1).Square(1, 0.9, -1, 0, 0).Square(2, -0.2, 0, 1, 0), 0, 2},
		"bound of the root":        {infertest.New(2).EQ(0, 1, -1).Square(2, 1.5, -1, 0).Square(1, -0.9, 0, 1), 0, 1},
		"bound of a child":         {infertest.New(2).EQ(-0.2, 1, -1).Square(2, 1.5, 0, -1).Square(1, 1.4, -1, 0), 0, 1},
		"bound of a grandchild":    {infertest.New(3).EQ(-0.2, 1, -1, 0).EQ(-0.2, 0, 1, -1).Square(2, -0.1, 1, 1, 0).Square(1, 0.1, 0, 1, 0), 0, 2},
		"lower bound, opposite":    {infertest.New(3).EQ(-1.2, 1, 1, 0).EQ(0, 0, 1, -1).Square(5, 2, -1, 0, 0).Square(1, -0.9, 0, 0, 1), 0, 2},
		"chain that ends at bound": {infertest.New(2).EQ(0, 1, 0).EQ(-1, 1, 1).Square(1, 0.5, -1, 0).Square(1, -0.5, 0, 1), 2, 0},
	} {
		in := c.b.Instance(t, 0.1)
		pre, _, ok := runPresolve(t, in, problem.ReduceMerged)
		if chain, tree := pre.Used(); !ok || chain != c.chain || tree != c.tree {
			t.Fatalf("%s: presolve fixed %d and merged %d, want %d and %d", name, chain, tree, c.chain, c.tree)
		}
		res := recovered(t, name, in)
		// Without presolve the method itself finds an equally good point.
		whole := solve(t, in, nil, infer.Settings{NoPresolve: true})
		if !infertest.Near(res.PrimalValue, whole.PrimalValue, 1e-7) {
			t.Errorf("%s: value %v, without presolve %v", name, res.PrimalValue, whole.PrimalValue)
		}
	}
}

// The same on random problems with a lot of equalities, with labels and with a
// proximal term.
func TestPostsolveRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(101, 1))
	used := 0
	for round := range 150 {
		in := problem.Equalities(t, rng, 8)
		if round%2 == 0 {
			rho, center := make([]float64, in.Targets), make([]float64, in.Targets)
			for i := range rho {
				rho[i], center[i] = rng.Float64(), rng.Float64()
			}
			if err := in.SetProx(rho, center); err != nil {
				t.Fatal(err)
			}
		}
		pre := problem.Presolve{Tol: problem.NeverActive}
		for c := range in.Components {
			pre.Run(in, c, problem.ReduceMerged, new(problem.Problem))
			chain, tree := pre.Used()
			used += chain + tree
		}
		recovered(t, "random", in)
	}
	if used < 300 {
		t.Errorf("only %d equalities were used up", used)
	}
}

// Equal potentials that were merged share the multiplier of the one that stood for
// them, equalities of one left-hand side leave theirs with one, and what was dropped
// has none.
func TestPostsolveDuplicates(t *testing.T) {
	b := infertest.New(2)
	for range 3 {
		b.Program.Potentials.Append([]int32{0, 1}, []float64{1, 1}, nil, nil, -0.4)
		b.Program.PotentialRule = append(b.Program.PotentialRule, 0)
	}
	b.Program.Rules = append(b.Program.Rules, b.Square(2, -0.4, 1, 1).Program.Rules[0])
	b.Program.PotentialRule[3] = 1
	b.EQ(0.3, 1, -1).EQ(-0.6, -2, 2).Linear(1, -3, 1, 1).Square(1, 0.9, -1, 0)
	in := b.Instance(t, 0.1)
	_, p, ok := runPresolve(t, in, problem.ReduceChains)
	if !ok || p.Rows >= in.Rows()-3 {
		t.Fatalf("%d rows are left of %d", p.Rows, in.Rows())
	}
	res := recovered(t, "duplicates", in)
	first := res.Dual[in.Constraints]
	for k := range 3 {
		if mu := res.Dual[in.Constraints+k]; mu != first || !(mu > 0) {
			t.Errorf("copy %d has the multiplier %v, the first %v", k, mu, first)
		}
	}
	if mu := res.Dual[in.Constraints+4]; mu != 0 {
		t.Errorf("a row that is never active has multiplier %v", mu)
	}
}

// Closed rows, whose targets are all fixed, have slack, multiplier, energy and value
// by their constants.
func TestPostsolveClosed(t *testing.T) {
	in := infertest.New(2).LE(-2, 1, 1).Square(3, -0.4, 1, 0).Linear(2, -0.1, 0, 1).Linear(2, -1, 1, 1).Instance(t, 0.5)
	for i, v := range []float64{0.9, 0.6} {
		if err := in.Fix(i, v); err != nil {
			t.Fatal(err)
		}
	}
	res := recovered(t, "closed", in)
	for k, want := range []struct{ slack, dual float64 }{{0.5, 2 * 3.5 * 0.5}, {0.5, 2 + 2*0.5*0.5}, {0.5, 2 + 2*0.5*0.5}} {
		if !infertest.Near(res.Slack[k], want.slack, 1e-12) || !infertest.Near(res.Dual[in.Constraints+k], want.dual, 1e-12) {
			t.Errorf("potential %d: slack %v and multiplier %v, want %+v", k, res.Slack[k], res.Dual[in.Constraints+k], want)
		}
	}
	if want := 3*0.25 + 2*0.5 + 2*0.5; !infertest.Near(res.Energy, want, 1e-12) {
		t.Errorf("energy %v, want %v", res.Energy, want)
	}
	if res.Dual[0] != 0 {
		t.Errorf("the idle constraint has multiplier %v", res.Dual[0])
	}
}
