package patches

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/dualascent"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// ascending solves local problems: block ascent with Newton steps.
type ascending struct{ dualascent.Ascent }

func (x *ascending) Iterate(p *problem.Problem) problem.Progress {
	progress := x.Ascent.Iterate(p)
	if progress == problem.Moving {
		x.Newton(p)
	}
	return progress
}

// newWork asks for an accurate solution of the largest component.
func newWork(in *lcqp.Instance) *problem.Whole {
	sol := new(lcqp.Solution)
	sol.Resize(in.Template)
	return &problem.Whole{
		Instance: in, Component: &in.Components[infertest.Largest(in)], Solution: sol,
		Tolerance:     problem.Tolerance{Relative: 1e-8, Offset: in.Epsilon, Violation: 1e-9, Stationarity: 1e-7},
		MaxIterations: 20000,
	}
}

// newDecomposition is a decomposition of the largest component, ready to start.
func newDecomposition(t testing.TB, in *lcqp.Instance) (*Decomposition, *lcqp.Solution) {
	t.Helper()
	w := newWork(in)
	sol := w.Solution
	g := &Decomposition{in: in, comp: w.Component, task: w, dual: sol.Dual, y: sol.Y, rows: len(w.Component.Rows)}
	if !g.start(nil) {
		t.Fatal("not local")
	}
	return g, sol
}

// The sum of the terms of the gap is the difference of the two values, whatever
// the point.
func TestDecompositionCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, m := range infertest.Local {
		in := infertest.Family(t, m.Name, m.Terms)
		require.NoError(t, in.SetProx([]float64{0.2}, make([]float64, in.Targets)))
		g, res := newDecomposition(t, in)
		comp := g.comp
		clear(res.Dual)
		clear(res.Slack)
		clear(res.Y)
		for _, i := range comp.Targets {
			g.y[i] = rng.Float64()
		}
		for _, row := range comp.Rows {
			if rng.IntN(2) == 0 {
				g.dual[row] = 3 * rng.Float64()
			}
			if k := int(row) - in.Constraints; k >= 0 {
				res.Slack[k] = max(g.activity(row), 0)
			}
		}
		v := g.check()
		primal, dual := in.Value(res)
		// Constraints of other components have no part in either value, and
		// targets of theirs are 0.
		if !infertest.Near(v.Primal, primal, 1e-12) || !infertest.Near(v.Dual, dual, 1e-12) {
			t.Errorf("%s: values %v and %v, want %v and %v", m.Name, v.Primal, v.Dual, primal, dual)
		}
		if len(g.dirty) == 0 || v.Stationarity == 0 {
			t.Errorf("%s: nothing to do at a random point", m.Name)
		}
	}
}

// After a sweep over few subdomains, looking at these finds what looking at all rows
// finds.
func TestDecompositionCheckCells(t *testing.T) {
	in := infertest.Family(t, "chain", 40000)
	w := newWork(in)
	sol := w.Solution
	if r := (&Decomposition{NewSolver: func() problem.Solver { return new(ascending) }}).Decompose(w, nil); r.End != problem.Converged {
		t.Fatal(r.End)
	}
	g := Decomposition{task: w, in: in, comp: w.Component, dual: sol.Dual, y: sol.Y, rows: in.Rows()}
	if !g.start(slices.Clone(sol.Dual)) {
		t.Fatal("not local")
	}
	g.check()
	// One subdomain in the middle, and a change at its overlap.
	g.forget()
	g.dirty = append(g.dirty, int32(in.Targets/2))
	g.parts.grow(&g)
	for _, i := range g.parts.overlap(0) {
		g.y[i] = 1 - g.y[i]
	}
	if !g.checkParts() {
		t.Fatal("the change is not seen")
	}
	some := slices.Clone(g.dirty)
	g.check()
	all := slices.Clone(g.dirty)
	slices.Sort(some)
	slices.Sort(all)
	assert.Equal(t, all, some, "targets")
	// Many subdomains are not looked at one by one.
	g.parts.partition(&g)
	if g.checkParts() {
		t.Error("all subdomains are few")
	}
}

func TestDecompositionSlow(t *testing.T) {
	comp := &lcqp.Component{Targets: make([]int32, 1000)}
	for _, c := range []struct {
		dirty  int
		merits []float64
		want   bool
	}{
		{500, []float64{1e9, 1e8, 9e7}, false},      // too early to tell
		{500, []float64{1e9, 1e8, 1e7, 1e6}, false}, // six more
		{500, []float64{1e9, 9e8, 8e8, 7e8}, true},  // hundreds
		{500, []float64{1, 2, 3, 4}, true},          // rising
		{500, []float64{1e9, math.NaN()}, true},     // broken
		{5, []float64{1e9, 9e8, 8e8, 7e8}, false},   // but cheap
		{5, []float64{9, 8, 8, 8, 7, 7, 7, 7, 7, 7}, true},
		{5, []float64{9, 8, 8, 8, 7, 7, 7, 7, 7, 2}, false},
	} {
		g := Decomposition{merits: c.merits, comp: comp, dirty: make([]int32, c.dirty)}
		if got := g.slow(); got != c.want {
			t.Errorf("%d dirty, %v: slow is %v", c.dirty, c.merits, got)
		}
	}
}
