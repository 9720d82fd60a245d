package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/lcqp"
)

// ascending solves patches: block ascent with Newton steps.
type ascending struct{ dualBCD }

func (x *ascending) Iterate(p *Problem) Progress {
	progress := x.dualBCD.Iterate(p)
	if progress == Moving {
		x.Newton(p, false)
	}
	return progress
}

// newWork asks for an accurate solution of a component.
func newWork(in *lcqp.Instance) *task {
	return &task{
		tolerance:     tolerance{relative: 1e-8, offset: in.Epsilon, violation: 1e-9, stationarity: 1e-7},
		maxIterations: 20000, newSolver: func() Solver { return new(ascending) }, record: func(*point, *Stats) {},
	}
}

// newGiant is a giant over the largest component, ready to start.
func newGiant(t testing.TB, in *lcqp.Instance) (*giant, *lcqp.Solution) {
	t.Helper()
	sol := new(lcqp.Solution)
	sol.Resize(in.Template)
	comp := &in.Components[giantest(in)]
	g := &giant{in: in, comp: comp, task: newWork(in), dual: sol.Dual, y: sol.Y, rows: len(comp.Rows)}
	if !g.start(nil) {
		t.Fatal("not local")
	}
	return g, sol
}

// The sum of the terms of the gap is the difference of the two values, whatever
// the point.
func TestGiantCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, m := range local {
		in := familyInstance(t, m.name, m.terms)
		if err := in.SetProx([]float64{0.2}, make([]float64, in.Targets)); err != nil {
			t.Fatal(err)
		}
		g, res := newGiant(t, in)
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
		if !near(v.primal, primal, 1e-12) || !near(v.dual, dual, 1e-12) {
			t.Errorf("%s: values %v and %v, want %v and %v", m.name, v.primal, v.dual, primal, dual)
		}
		if len(g.dirty) == 0 || v.stationarity == 0 {
			t.Errorf("%s: nothing to do at a random point", m.name)
		}
	}
}

// After a sweep over few cells, looking at these finds what looking at all rows
// finds.
func TestGiantCheckCells(t *testing.T) {
	in := familyInstance(t, "chain", 40000)
	var sol lcqp.Solution
	sol.Resize(in.Template)
	if _, end := new(giant).run(in, &in.Components[0], nil, newWork(in), sol.Dual, sol.Y); end != converged {
		t.Fatal(end)
	}
	g := giant{task: newWork(in), in: in, comp: &in.Components[0], dual: sol.Dual, y: sol.Y, rows: in.Rows()}
	if !g.start(slices.Clone(sol.Dual)) {
		t.Fatal("not local")
	}
	g.check()
	// One cell in the middle, and a change at its border.
	g.forget()
	g.dirty = append(g.dirty, int32(in.Targets/2))
	g.cells.grow(&g)
	for _, i := range g.cells.border(0) {
		g.y[i] = 1 - g.y[i]
	}
	if !g.checkCells() {
		t.Fatal("the change is not seen")
	}
	some := slices.Clone(g.dirty)
	g.check()
	all := slices.Clone(g.dirty)
	slices.Sort(some)
	slices.Sort(all)
	if !slices.Equal(some, all) {
		t.Errorf("targets %v, looking at all rows finds %v", some, all)
	}
	// Many cells are not looked at one by one.
	g.cells.partition(&g)
	if g.checkCells() {
		t.Error("all cells are few")
	}
}

func TestGiantSlow(t *testing.T) {
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
		g := giant{merits: c.merits, comp: comp, dirty: make([]int32, c.dirty)}
		if got := g.slow(); got != c.want {
			t.Errorf("%d dirty, %v: slow is %v", c.dirty, c.merits, got)
		}
	}
}
