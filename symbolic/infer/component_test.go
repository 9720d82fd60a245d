package infer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/internal/infertest"
)

// script is a method that does what it is told: it shows one point after the other,
// each with what it says of its progress.
type script struct{ acts *[]act }

type act struct {
	y, dual  []float64
	progress Progress
}

func (script) Name() string { return "script" }

func (script) Capabilities() Capabilities { return Capabilities{MaxIterations: 10, CheckEvery: 1} }

func (s script) NewSolver() Solver { return &actor{acts: *s.acts} }

type actor struct {
	acts []act
	at   int
}

func (a *actor) Init(*Problem) { a.at = 0 }

func (a *actor) Iterate(*Problem) Progress {
	a.at = min(a.at+1, len(a.acts)-1)
	return a.acts[a.at].progress
}

func (a *actor) Point(p *Problem) {
	copy(p.Y, a.acts[a.at].y)
	copy(p.Dual, a.acts[a.at].dual)
}

// Of min 0.1 y² + 2.1·max(0, ½ − y)² the answer is y = 2.1/4.4; the multiplier is
// 4.2·(½ − y).
const (
	scriptY    = 1.05 / 2.2
	scriptDual = 4.2 * (0.5 - scriptY)
)

// The driver alone decides what a point is worth and how the solve has ended,
// whatever a method says.
func TestStatusOfPoints(t *testing.T) {
	answer := act{y: []float64{scriptY}, dual: []float64{scriptDual}, progress: Moving}
	near := act{y: []float64{scriptY + 1e-7}, dual: []float64{scriptDual}, progress: Settled}
	far := act{y: []float64{0.9}, dual: []float64{0}, progress: Moving}
	with := func(a act, progress Progress) act { a.progress = progress; return a }
	for name, c := range map[string]struct {
		acts       []act
		s          Settings
		want       Status
		iterations int
	}{
		"the answer at once":              {[]act{answer}, Settings{}, Solved, 0},
		"the answer later":                {[]act{far, far, answer}, Settings{}, Solved, 2},
		"the answer, but it says moving":  {[]act{far, with(answer, Moving)}, Settings{}, Solved, 1},
		"the answer between checks":       {[]act{far, answer, far, far}, Settings{CheckEvery: 3}, IterationLimit, 10},
		"ready before the next check":     {[]act{far, with(answer, Ready)}, Settings{CheckEvery: 5}, Solved, 1},
		"ready, but not good":             {[]act{far, with(far, Ready), answer}, Settings{CheckEvery: 5}, Solved, 6},
		"nearly":                          {[]act{far, near}, Settings{GapTolerance: 1e-15, StationarityTolerance: 1e-12}, AlmostSolved, 1},
		"nearly, and that is enough":      {[]act{far, near}, Settings{}, NotRun, 1},
		"settled far away":                {[]act{far, with(far, Settled)}, Settings{}, NoProgress, 1},
		"refused":                         {[]act{far, with(far, Refused)}, Settings{}, TooLarge, 1},
		"iterations":                      {[]act{far, far}, Settings{MaxIterations: 4}, IterationLimit, 4},
		"iterations, nearly":              {[]act{far, with(near, Moving)}, Settings{GapTolerance: 1e-15, StationarityTolerance: 1e-12, MaxIterations: 4}, AlmostSolved, 4},
		"time":                            {[]act{far, far}, Settings{MaxTime: time.Nanosecond, MaxIterations: 1000}, TimeLimit, 0},
		"time, but good":                  {[]act{answer}, Settings{MaxTime: time.Nanosecond}, Solved, 0},
		"NaN":                             {[]act{far, {y: []float64{math.NaN()}, dual: []float64{0}, progress: Settled}}, Settings{}, NoProgress, 1},
		"the absolute gap decides":        {[]act{far, with(near, Moving)}, Settings{GapTolerance: 1e-15, GapAbsolute: 1e-3, StationarityTolerance: 1e-3}, Solved, 1},
		"stationarity decides":            {[]act{far, with(near, Moving)}, Settings{GapAbsolute: 1e-3, StationarityTolerance: 1e-12, MaxIterations: 3}, AlmostSolved, 3},
		"far from stationary, small gap":  {[]act{far, with(far, Settled)}, Settings{GapAbsolute: 10}, NoProgress, 1},
		"small gap, not stationary":       {[]act{far, {y: []float64{scriptY + 3e-4}, dual: []float64{scriptDual}, progress: Settled}}, Settings{}, NoProgress, 1},
		"settled at a gap of 1e-5":        {[]act{far, {y: []float64{scriptY + 2e-3}, dual: []float64{scriptDual}, progress: Settled}}, Settings{StationarityTolerance: 1}, NoProgress, 1},
		"feasible only":                   {[]act{far, far}, Settings{GapAbsolute: 10, StationarityTolerance: 10}, Solved, 0},
		"iterations bound between checks": {[]act{far, far}, Settings{MaxIterations: 4, CheckEvery: 3}, IterationLimit, 4},
	} {
		in := infertest.New(1).Square(2, 0.5, -1).Instance(t, 0.1)
		c.s.Method, c.s.NoPresolve = script{&c.acts}, true
		res := solve(t, in, nil, c.s)
		want := c.want
		if want == NotRun { // either is right: the point is within or near the tolerances
			want = res.Status
			if !want.OK() {
				t.Errorf("%s: %v", name, want)
			}
		}
		if res.Status != want || res.Stats.Iterations != c.iterations {
			t.Errorf("%s: %v after %d iterations (gap %v), want %v after %d", name, res.Status, res.Stats.Iterations, res.TotalGap, want, c.iterations)
		}
	}
}

// A point that violates a hard row is no answer, however small its gap.
func TestStatusOfViolation(t *testing.T) {
	in := infertest.New(1).LE(-0.3, 1).Square(2, 0.5, -1).Instance(t, 0.1)
	for y, want := range map[float64]Status{0.3: Solved, 0.3 + 1e-7: AlmostSolved, 0.3 + 1e-3: NoProgress} {
		// At y = 0.3 the hinge is 0.2 and pulls with 4.2·0.2, the target with 0.06.
		acts := []act{{y: []float64{y}, dual: []float64{4.2*0.2 - 0.06, 4.2 * 0.2}, progress: Settled}}
		acts = append(acts, acts[0])
		res := solve(t, in, nil, Settings{Method: script{&acts}, NoPresolve: true})
		if res.Status != want {
			t.Errorf("y = %v: %v, violation %v, want %v", y, res.Status, res.MaxViolation, want)
		}
	}
}

// Multipliers that grow along a proof of infeasibility are one for the driver,
// whatever method has found them; small ones and those of feasible rows are not.
func TestStatusOfProof(t *testing.T) {
	for name, c := range map[string]struct {
		b    *infertest.Build
		dual []float64
		want Status
	}{
		"a proof":             {infertest.New(1).LE(0.6, -1).LE(-0.4, 1).Square(1, -0.5, 1), []float64{5, 5, 0}, Infeasible},
		"another scale":       {infertest.New(1).LE(0.6, -1).LE(-0.4, 1).Square(1, -0.5, 1), []float64{5e5, 5e5, 0}, Infeasible},
		"one row only":        {infertest.New(1).LE(0.6, -1).LE(-0.4, 1).Square(1, -0.5, 1), []float64{5, 0, 0}, NoProgress},
		"the wrong sign":      {infertest.New(1).LE(0.6, -1).LE(-0.4, 1).Square(1, -0.5, 1), []float64{-5, -5, 0}, NoProgress},
		"turned round":        {infertest.New(1).LE(-0.6, 1).LE(0.4, -1).Square(1, -0.5, 1), []float64{-5, -5, 0}, NoProgress},
		"of a soft row":       {infertest.New(1).LE(0.3, -1).Linear(1, -0.1, 1), []float64{5, 5}, NoProgress},
		"of feasible rows":    {infertest.New(1).LE(0.3, -1).LE(-0.4, 1).Square(1, -0.5, 1), []float64{5, 5, 0}, NoProgress},
		"an equality, below":  {infertest.New(2).EQ(-1.5, 1, 1).LE(-0.4, 1, 0).LE(-0.4, 0, 1), []float64{-5, 5, 5}, Infeasible},
		"an equality, beyond": {infertest.New(2).EQ(-0.5, 1, 1).LE(0.4, -1, 0).LE(0.4, 0, -1), []float64{5, 5, 5}, Infeasible},
	} {
		in := c.b.Instance(t, 0.1)
		y := make([]float64, in.Targets)
		if name == "of feasible rows" {
			y[0] = 1 // is violated all the same
		}
		acts := []act{{y: y, dual: make([]float64, len(c.dual))}, {y: y, dual: c.dual, progress: Settled}}
		// Rows are sorted by their side: hand the multipliers out by their constants.
		res := solve(t, in, nil, Settings{Method: ordered{script{&acts}, &in.B}, NoPresolve: true})
		assert.Equalf(t, c.want, res.Status, "%s", name)
		if res.Status == Infeasible {
			if m := res.Certificate.Margin(in); !(m > 1e-3) {
				t.Errorf("%s: margin %v of %+v", name, m, res.Certificate)
			}
		}
	}
}

// ordered is a script whose multipliers are in the order of the instance's rows, which
// their constants tell apart.
type ordered struct {
	script
	b *[]float64
}

func (o ordered) NewSolver() Solver { return &orderedActor{actor{acts: *o.acts}, *o.b} }

type orderedActor struct {
	actor
	b []float64
}

func (a *orderedActor) Point(p *Problem) {
	copy(p.Y, a.acts[a.at].y)
	used := make([]bool, len(a.b))
	for k := range p.Dual {
		for row, b := range a.b {
			if !used[row] && b == p.B[k] {
				p.Dual[k], used[row] = a.acts[a.at].dual[row], true
				break
			}
		}
	}
}

// An infeasible component leaves a harmless point and does not touch its
// neighbours.
func TestInfeasibleLeavesHarmlessPoint(t *testing.T) {
	in := infertest.New(2).LE(0.6, -1, 0).LE(-0.4, 1, 0).Square(2, 0.5, -1, 0).Square(2, 0.5, 0, -1).Instance(t, 0.1)
	require.Len(t, in.Components, 2)
	res := solve(t, in, nil, Settings{})
	if res.Status != Infeasible || res.Components[0].Status != Infeasible || res.Components[1].Status != Solved {
		t.Fatalf("%v: %+v", res.Status, res.Components)
	}
	if !infertest.Near(res.Y[1], scriptY, 1e-8) || !infertest.Near(res.Dual[3], scriptDual, 1e-6) {
		t.Errorf("the feasible component has y = %v and multiplier %v", res.Y[1], res.Dual[3])
	}
	if c := res.Components[0]; !math.IsInf(c.Primal, 1) || !math.IsInf(c.Violation, 1) || res.Y[0] != 0 ||
		res.Dual[0] != 0 || res.Dual[1] != 0 || res.Dual[2] != 0 || res.LowerDual[0] != 0 || res.UpperDual[0] != 0 {
		t.Errorf("%+v with y = %v and multipliers %v", c, res.Y[0], res.Dual)
	}
}
