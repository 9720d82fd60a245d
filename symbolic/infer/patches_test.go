package infer

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/patches"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// runPatches solves the largest component by patches, whatever its size, as the zero Settings ask,
// and returns the points after each sweep. edit may change what is asked.
func runPatches(t testing.TB, in *lcqp.Instance, warm []float64, edit func(*problem.Whole)) (trace []problem.Point, res *lcqp.Solution, r problem.Parts) {
	t.Helper()
	res = new(lcqp.Solution)
	res.Resize(in.Template)
	w := &problem.Whole{Instance: in, Component: &in.Components[infertest.Largest(in)], Warm: warm, Solution: res,
		Tolerance:     problem.Tolerance{Relative: 1e-8, Offset: in.Epsilon, Violation: 1e-9, Stationarity: 1e-7},
		MaxIterations: 20000, Record: func(v *problem.Point, _ *Stats) { trace = append(trace, *v) }}
	if edit != nil {
		edit(w)
	}
	g := patches.Decomposition{NewSolver: func() Solver { return new(auto) }}
	return trace, res, g.Decompose(w, nil)
}

// What patches call solved must be so for the judge, and have the value the
// interior point method finds.
func TestPatchesSolves(t *testing.T) {
	for _, m := range infertest.Local {
		in := infertest.Family(t, m.Name, m.Terms)
		trace, res, status := runPatches(t, in, nil, nil)
		if status.End != problem.Converged {
			t.Errorf("%s: %v", m.Name, status.End)
			continue
		}
		if n := len(in.Components[infertest.Largest(in)].Targets); n < 1000 || len(trace) < 2 {
			t.Errorf("%s: %d targets solved in %d sweeps; is there one subdomain only?", m.Name, n, len(trace)-1)
		}
		ipm := solve(t, in, nil, Settings{Method: InteriorPoint{}})
		c := infertest.Largest(in)
		if got, want := trace[len(trace)-1].Primal, ipm.Components[c].Primal; !infertest.Near(got, want, 1e-8) {
			t.Errorf("%s: value %v, the interior point method finds %v", m.Name, got, want)
		}
		if !infertest.Near(status.Energy, ipm.Components[c].Energy, 1e-5) {
			t.Errorf("%s: energy %v, want %v", m.Name, status.Energy, ipm.Components[c].Energy)
		}
		// The judge sees the whole instance: other components from elsewhere.
		whole := solve(t, in, nil, Settings{})
		for _, i := range in.Components[c].Targets {
			whole.Y[i], whole.LowerDual[i], whole.UpperDual[i] = res.Y[i], res.LowerDual[i], res.UpperDual[i]
		}
		for _, row := range in.Components[c].Rows {
			whole.Dual[row] = res.Dual[row]
			if k := int(row) - in.Constraints; k >= 0 {
				whole.Slack[k], whole.SlackDual[k] = res.Slack[k], res.SlackDual[k]
			}
		}
		mustBeSolved(t, in, whole)
	}
}

// Labels, a proximal term and a warm start reach the patches.
func TestPatchesEdits(t *testing.T) {
	in := infertest.Family(t, "knn-regression", 25000)
	center := make([]float64, in.Targets)
	for i := range center {
		center[i] = float64(i%7) / 7
		if i%5 == 0 {
			require.NoError(t, in.Fix(i, float64(i%3)/2))
		}
	}
	require.NoError(t, in.SetProx([]float64{0.3}, center))
	trace, res, status := runPatches(t, in, nil, nil)
	ipm := solve(t, in, nil, Settings{Method: InteriorPoint{}})
	if want := ipm.Components[infertest.Largest(in)].Primal; status.End != problem.Converged || !infertest.Near(trace[len(trace)-1].Primal, want, 1e-8) {
		t.Errorf("%v with value %v, want %v", status.End, trace[len(trace)-1].Primal, want)
	}
	for i := 0; i < in.Targets; i += 5 {
		require.Equalf(t, in.Lower[i], res.Y[i], "target %d is fixed to", i)
	}
	warm := slices.Clone(res.Dual)
	again, _, status := runPatches(t, in, warm, nil)
	if status.End != problem.Converged || len(again) != 1 {
		t.Errorf("%v: %d sweeps from the solution itself, want none", status.End, len(again)-1)
	}
	for k := range in.B {
		in.B[k] += 1e-3 * math.Sin(float64(k))
	}
	moved, _, status := runPatches(t, in, warm, nil)
	if cold := math.Abs(trace[0].Primal - trace[0].Dual); status.End != problem.Converged || moved[0].Primal-moved[0].Dual > cold/10 {
		t.Errorf("%v: warm start with gap %v, cold with %v", status.End, moved[0].Primal-moved[0].Dual, cold)
	}
}

// A row that spans the component leaves nothing local.
func TestPatchesNeedsShortRows(t *testing.T) {
	b := infertest.New(257)
	all := make([]float64, 257)
	for i := range all {
		all[i] = 1
	}
	in := b.EQ(-3, all...).Instance(t, 0.1)
	if _, _, status := runPatches(t, in, nil, nil); status.End != problem.NotLocal {
		t.Errorf("ended with %v, want not local", status.End)
	}
}

// Where borders matter more than insides, patches are refused before any work.
func TestPatchesNeedsLocality(t *testing.T) {
	in := infertest.Family(t, "citation", 60000)
	trace, _, status := runPatches(t, in, nil, nil)
	if status.End != problem.NotLocal || len(trace) != 0 {
		t.Errorf("status %v after %d records, want not local", status.End, len(trace))
	}
}

// Through the door: large components take patches, and where these are slow or
// find no feasible point, another way leads on.
func TestPatchesThroughSolve(t *testing.T) {
	chain := infertest.Family(t, "chain", 4*decomposeFrom+100)
	records := 0
	res := solve(t, chain, nil, Settings{Recorder: func(Record) { records++ }})
	mustBeSolved(t, chain, res)
	if records < 2 || records != res.Stats.Checks {
		t.Errorf("%d records of %d tests of the stop rule", records, res.Stats.Checks)
	}
	late := solve(t, chain, nil, Settings{MaxTime: 1})
	assert.Equal(t, TimeLimit, late.Status, "within a nanosecond")
	trace, _, status := runPatches(t, infertest.Family(t, "knn-labels", 15000), nil, func(t *problem.Whole) { t.MaxIterations = 1 })
	if status.End != problem.OutOfIterations || len(trace) != 2 {
		t.Errorf("one sweep: %v after %d", status.End, len(trace)-1)
	}
	grid := infertest.Family(t, "grid", 6*decomposeFrom+1000)
	mustBeSolved(t, grid, solve(t, grid, nil, Settings{}))
}

// Two constraints that exclude each other, somewhere in a long chain.
func TestPatchesInfeasible(t *testing.T) {
	n := decomposeFrom + 10
	p := &hlmrf.Program{Targets: make([]string, n), Rules: []hlmrf.Rule{{Weight: 1, Squared: true}}, HardRules: make([]hlmrf.Rule, 1)}
	for i := range int32(n - 1) {
		p.AddPotential(0, []int32{i, i + 1}, []float64{1, -1}, nil, nil, 0.1)
	}
	hard := func(sign, k float64) {
		p.AddConstraint(hlmrf.LessEqual, 0, []int32{7, 8}, []float64{sign, sign}, nil, nil, k)
	}
	hard(1, -0.5)
	hard(-1, 0.7)
	in, err := lcqp.NewInstance(p, 0.1)
	require.NoError(t, err)
	res := solve(t, in, nil, Settings{})
	if res.Status != Infeasible || !(res.Certificate.Margin(in) > 0) {
		t.Errorf("%v with certificate %v", res.Status, res.Certificate)
	}
}
