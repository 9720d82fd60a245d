package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// recovered solves an instance and lets the judge see whether every multiplier that
// postsolve had to find satisfies the optimality conditions of the original rows.
func recovered(t *testing.T, name string, in *lcqp.Instance) *Result {
	t.Helper()
	res := solve(t, in, nil, Settings{GapTolerance: 1e-11, StationarityTolerance: 1e-9})
	if !res.Status.OK() {
		t.Fatalf("%s: %v", name, res.Status)
	}
	r := lcqp.Residuals(in, &res.Solution)
	if !(r.Max() <= 1e-7) {
		t.Errorf("%s: %+v", name, r)
	}
	p, d := in.Value(&res.Solution)
	if !near(p, d, 1e-8) || !near(res.PrimalValue, p, 1e-9) || !near(res.DualValue, d, 1e-8) {
		t.Errorf("%s: values %v and %v, the instance has %v and %v", name, res.PrimalValue, res.DualValue, p, d)
	}
	return res
}

// The multipliers of equalities that presolve used up satisfy the optimality
// conditions of the whole problem: of chains, of trees of merged targets, of rings of
// them, and where a bound holds the place of all that were merged.
func TestPostsolveEqualities(t *testing.T) {
	for name, c := range map[string]struct {
		b           *build
		chain, tree int
	}{
		"chain":                    {newBuild(3).eq(-0.5, 1, 0, 0).eq(-1, 1, 1, 0).eq(0, 0, 1, -1).square(2, -0.2, 0, 0, 1).linear(1, 0.3, -1, -1, 1), 3, 0},
		"pair":                     {newBuild(2).eq(0, 1, -1).square(1, -0.2, 1, 0).square(3, 0.9, 0, -1), 0, 1},
		"pair, opposite":           {newBuild(2).eq(-1, 1, 1).square(1, 0.8, -1, 0).linear(2, -0.1, 0, 1), 0, 1},
		"pair, scaled":             {newBuild(2).eq(0, 2, -1).square(1, 0.4, -1, 0).linear(2, -0.3, 0, 1), 0, 1},
		"path":                     {newBuild(4).eq(0, 1, -1, 0, 0).eq(-0.1, 0, 1, -1, 0).eq(-1, 0, 0, 1, 1).square(1, 0.9, -1, 0, 0, 0).square(2, 0.7, 0, 0, 0, -1), 0, 3},
		"star":                     {newBuild(4).eq(0, 1, -1, 0, 0).eq(0, 1, 0, -1, 0).eq(-0.2, 1, 0, 0, -1).square(1, 0.9, -1, 0, 0, 0).linear(2, -0.1, 0, 1, 1, 0), 0, 3},
		"ring":                     {newBuild(3).eq(0, 1, -1, 0).eq(0, 0, 1, -1).eq(0, 1, 0, -1).square(1, 0.9, -1, 0, 0).square(2, -0.2, 0, 1, 0), 0, 2},
		"bound of the root":        {newBuild(2).eq(0, 1, -1).square(2, 1.5, -1, 0).square(1, -0.9, 0, 1), 0, 1},
		"bound of a child":         {newBuild(2).eq(-0.2, 1, -1).square(2, 1.5, 0, -1).square(1, 1.4, -1, 0), 0, 1},
		"bound of a grandchild":    {newBuild(3).eq(-0.2, 1, -1, 0).eq(-0.2, 0, 1, -1).square(2, -0.1, 1, 1, 0).square(1, 0.1, 0, 1, 0), 0, 2},
		"lower bound, opposite":    {newBuild(3).eq(-1.2, 1, 1, 0).eq(0, 0, 1, -1).square(5, 2, -1, 0, 0).square(1, -0.9, 0, 0, 1), 0, 2},
		"chain that ends at bound": {newBuild(2).eq(0, 1, 0).eq(-1, 1, 1).square(1, 0.5, -1, 0).square(1, -0.5, 0, 1), 2, 0},
	} {
		in := c.b.instance(t, 0.1)
		pre, _, ok := runPresolve(t, in, reduceMerged)
		if chain, tree := pre.used(); !ok || chain != c.chain || tree != c.tree {
			t.Fatalf("%s: presolve fixed %d and merged %d, want %d and %d", name, chain, tree, c.chain, c.tree)
		}
		res := recovered(t, name, in)
		// Without presolve the method itself finds an equally good point.
		whole := solve(t, in, nil, Settings{NoPresolve: true})
		if !near(res.PrimalValue, whole.PrimalValue, 1e-7) {
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
		in := equalities(t, rng, 8)
		if round%2 == 0 {
			rho, center := make([]float64, in.Targets), make([]float64, in.Targets)
			for i := range rho {
				rho[i], center[i] = rng.Float64(), rng.Float64()
			}
			if err := in.SetProx(rho, center); err != nil {
				t.Fatal(err)
			}
		}
		pre := presolve{tol: neverActive}
		for c := range in.Components {
			pre.run(in, c, reduceMerged, new(Problem))
			chain, tree := pre.used()
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
	b := newBuild(2)
	for range 3 {
		b.p.Potentials.Append([]int32{0, 1}, []float64{1, 1}, nil, nil, -0.4)
		b.p.PotentialRule = append(b.p.PotentialRule, 0)
	}
	b.p.Rules = append(b.p.Rules, b.square(2, -0.4, 1, 1).p.Rules[0])
	b.p.PotentialRule[3] = 1
	b.eq(0.3, 1, -1).eq(-0.6, -2, 2).linear(1, -3, 1, 1).square(1, 0.9, -1, 0)
	in := b.instance(t, 0.1)
	_, p, ok := runPresolve(t, in, reduceChains)
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
	in := newBuild(2).le(-2, 1, 1).square(3, -0.4, 1, 0).linear(2, -0.1, 0, 1).linear(2, -1, 1, 1).instance(t, 0.5)
	for i, v := range []float64{0.9, 0.6} {
		if err := in.Fix(i, v); err != nil {
			t.Fatal(err)
		}
	}
	res := recovered(t, "closed", in)
	for k, want := range []struct{ slack, dual float64 }{{0.5, 2 * 3.5 * 0.5}, {0.5, 2 + 2*0.5*0.5}, {0.5, 2 + 2*0.5*0.5}} {
		if !near(res.Slack[k], want.slack, 1e-12) || !near(res.Dual[in.Constraints+k], want.dual, 1e-12) {
			t.Errorf("potential %d: slack %v and multiplier %v, want %+v", k, res.Slack[k], res.Dual[in.Constraints+k], want)
		}
	}
	if want := 3*0.25 + 2*0.5 + 2*0.5; !near(res.Energy, want, 1e-12) {
		t.Errorf("energy %v, want %v", res.Energy, want)
	}
	if res.Dual[0] != 0 {
		t.Errorf("the idle constraint has multiplier %v", res.Dual[0])
	}
}

// recoveryError is the worst product of a bound's multiplier with the distance from
// the bound, of the targets that presolve moved only, and lets NaN through.
func TestRecoveryError(t *testing.T) {
	in := newBuild(3).eq(0, 1, -1, 0).square(1, -0.2, 1, 0, 1).instance(t, 0.1)
	pre, p, _ := runPresolve(t, in, reduceMerged)
	pre.start(p, nil, nil)
	var sol lcqp.Solution
	sol.Resize(in.Template)
	set := func(i int, y, lower, upper float64) { sol.Y[i], sol.LowerDual[i], sol.UpperDual[i] = y, lower, upper }
	for _, c := range []struct {
		i               int
		y, lower, upper float64
		want            float64
	}{
		{0, 0, 5, 0, 0}, {0, 1, 0, 5, 0}, {0, 0.25, 2, 0, 0.5}, {1, 0.25, 0, 2, 1.5}, {1, 0.25, 2, 0.1, 0.5},
		{2, 0.5, 7, 0, 0}, // was left to the method
	} {
		for i := range 3 {
			set(i, 0, 0, 0)
		}
		set(c.i, c.y, c.lower, c.upper)
		if got := pre.recoveryError(&sol); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	set(0, math.NaN(), 1, 0)
	if got := pre.recoveryError(&sol); !math.IsNaN(got) {
		t.Errorf("NaN became %v", got)
	}
}
