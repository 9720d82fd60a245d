package infer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
)

// scripted is a method whose solvers do what a test says.
type scripted struct{ *told }

type told struct {
	iterate func(p *Problem, n int) Progress
	parts   *problem.Parts
	n       int
}

func (scripted) Name() string               { return "scripted" }
func (scripted) Capabilities() Capabilities { return Capabilities{MaxIterations: 10, CheckEvery: 1} }
func (m scripted) NewSolver() Solver        { return m.told }
func (*told) Init(*Problem)                 {}
func (*told) Point(*Problem)                {}
func (s *told) Iterate(p *Problem) Progress { s.n++; return s.iterate(p, s.n) }
func (s *told) Decompose(*problem.Whole, *Problem) problem.Parts {
	if s.parts == nil {
		return problem.Parts{}
	}
	return *s.parts
}

// Where a method ends in NaN, the answer is the last point that was none.
func TestLastFinitePoint(t *testing.T) {
	for _, broken := range []func(p *Problem){
		func(p *Problem) { p.Y[0] = math.NaN() },
		func(p *Problem) { p.Dual[0] = math.NaN() },
		func(p *Problem) { p.Y[1] = math.Inf(1) },
	} {
		in := infertest.New(2).Square(1, 0.2, 1, -1).Linear(2, 1, -1, -1).Square(1, 0, 0, 1).Instance(t, 0.01)
		res := solve(t, in, nil, Settings{Method: scripted{&told{iterate: func(p *Problem, n int) Progress {
			if p.Y[0], p.Y[1] = 0.25, 0.5; n == 3 {
				broken(p)
			}
			return Moving
		}}}})
		assert.Equal(t, NoProgress, res.Status)
		assert.Equal(t, []float64{0.25, 0.5}, res.Y)
		assert.False(t, math.IsNaN(res.PrimalValue+res.DualValue+res.TotalGap+res.MaxViolation))
	}
}

// A solver hears within an iteration that time is up, and its answer is that of the time limit.
func TestLate(t *testing.T) {
	in := infertest.New(2).Square(1, 0.2, 1, -1).Linear(2, 1, -1, -1).Instance(t, 0.01)
	stop := make(chan struct{})
	res := solve(t, in, nil, Settings{Stop: stop, Method: scripted{&told{iterate: func(p *Problem, n int) Progress {
		require.NotNil(t, p.Late)
		assert.False(t, p.Late())
		close(stop)
		assert.True(t, p.Late())
		return Refused // as of a factor that was not made
	}}}})
	assert.Equal(t, TimeLimit, res.Status)
}

// A factor of the interior point method that is told to stop leaves the point where it was.
func TestInteriorStops(t *testing.T) {
	p := presolved(t, infertest.Family(t, "grid", 300000))
	asked, limit := 0, math.MaxInt
	p.Late = func() bool { asked++; return asked >= limit }
	s := InteriorPoint{}.NewSolver()
	s.Init(p)
	require.Equal(t, Moving, s.Iterate(p))
	s.Point(p)
	y, before := append([]float64(nil), p.Y...), asked
	limit = asked + 3
	assert.Equal(t, Moving, s.Iterate(p))
	assert.LessOrEqual(t, asked-before, 100)
	s.Point(p)
	assert.Equal(t, y, p.Y)
	limit = math.MaxInt
	s.Iterate(p)
	s.Point(p)
	assert.NotEqual(t, y, p.Y)
}

// How a decomposition ends is how the component does; what is nearly solved is called so.
func TestDecomposerEnds(t *testing.T) {
	in := infertest.New(2).Square(1, 0.2, 1, -1).Instance(t, 0.01)
	for _, c := range []struct {
		end  problem.End
		gap  float64
		want Status
	}{
		{problem.Converged, 0, Solved}, {problem.OutOfTime, 1, TimeLimit}, {problem.OutOfIterations, 1, IterationLimit},
		{problem.OutOfTime, 1e-8, AlmostSolved}, {problem.OutOfIterations, 1e-8, AlmostSolved},
	} {
		parts := &problem.Parts{End: c.end, Point: problem.Point{Primal: 1 + c.gap, Dual: 1}, Energy: 3, Stats: Stats{Iterations: 4}}
		res := solve(t, in, nil, Settings{Method: scripted{&told{parts: parts}}})
		assert.Equal(t, c.want, res.Status, "%+v", c)
		assert.Equal(t, 4, res.Stats.Iterations)
		assert.InDelta(t, 3, res.Energy, 0)
	}
}

// The interior point method may take twice the factor where it would resume from a warm start,
// as that halves its steps; fill and work of the factor are told apart.
func TestAutoResumes(t *testing.T) {
	p := presolved(t, infertest.Family(t, "citation", 30000))
	x := newAuto(ByInterior)
	x.Init(p)
	f, need := p.Choice.Features, x.interior.Matrix().Need()
	require.Equal(t, ByInterior, p.Choice.Approach)
	require.NotEqual(t, need.Fill, need.Work)
	assert.Equal(t, [2]float64{need.Fill, need.Work}, [2]float64{f.Fill, f.Work})

	defer func(was Costs) { costs = was }(costs)
	costs.Ascent[Smooth] = 0.75 * costs.Seconds(ByInterior, f) / f.Size
	for _, resume := range []bool{false, true} {
		x := newAuto(ByCost)
		x.whole = true
		if resume {
			x.phase = resuming
		}
		x.Init(p)
		assert.Equal(t, resume, p.Choice.Approach == ByInterior)
		assert.Equal(t, resume, x.phase == interior)
	}
}
