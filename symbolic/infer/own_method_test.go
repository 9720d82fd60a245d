package infer_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// This file is a method of somebody's own: a type, and the line that registers it.

func init() { infer.Register(hildreth{}) }

// hildreth is Hildreth's method: one multiplier after the other takes the Newton step of
// its own, on bounds taken away, and is projected on its sign.
type hildreth struct{}

func (hildreth) Name() string            { return "hildreth" }
func (hildreth) NewSolver() infer.Solver { return new(ascent) }
func (hildreth) Capabilities() infer.Capabilities {
	return infer.Capabilities{MaxIterations: 100000, CheckEvery: 10, ProvesGap: true, Family: infer.DualFamily}
}

type ascent struct{ pull []float64 } // Lin + Aᵀμ

func (s *ascent) Init(p *infer.Problem) {
	p.Expand()
	s.pull = make([]float64, p.Targets)
	p.Pull(p.Dual, s.pull)
}

// value is target i at the multipliers.
func (s *ascent) value(p *infer.Problem, i int32) float64 {
	return min(max(-s.pull[i]/(2*p.Quad[i]), p.Lower[i]), p.Upper[i])
}

func (s *ascent) Iterate(p *infer.Problem) infer.Progress {
	for k := range p.Rows {
		slope, bend := p.B[k], 0.0
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			slope += p.Val[j] * s.value(p, p.Col[j])
			bend += p.Val[j] * p.Val[j] / (2 * p.Quad[p.Col[j]])
		}
		if p.Kind[k] > lcqp.HardEQ {
			slope -= max(0, p.Dual[k]-p.Weight[k]) / (2 * p.Curv[k])
			bend += 1 / (2 * p.Curv[k])
		}
		next := p.Dual[k] + slope/bend
		if p.Kind[k] != lcqp.HardEQ {
			next = max(0, next)
		}
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			s.pull[p.Col[j]] += p.Val[j] * (next - p.Dual[k])
		}
		p.Dual[k] = next
	}
	return infer.Moving
}

func (s *ascent) Point(p *infer.Problem) {
	for i := range p.Y {
		p.Y[i] = s.value(p, int32(i))
	}
}

// TestOwnMethod finds a method of somebody's own by its name, has what it says of itself,
// and solves with it.
func TestOwnMethod(t *testing.T) {
	m, err := infer.New("hildreth")
	require.NoError(t, err)
	if names := infer.Names(); names[0] != "auto" || !slices.Contains(names, "hildreth") {
		t.Errorf("the methods are %v", names)
	}
	if c := infer.Can("hildreth"); c.Exact || !c.ProvesGap || c.Family != infer.DualFamily {
		t.Errorf("it can do %+v", c)
	}
	in := twoFriends(t)
	var want, got infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &want))
	require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: m, NoPresolve: true}, &got))
	if got.Status != infer.Solved || got.Stats.Iterations < 2 {
		t.Errorf("%v after %d sweeps", got.Status, got.Stats.Iterations)
	}
	for i, y := range want.Y {
		if math.Abs(got.Y[i]-y) > 1e-4 {
			t.Errorf("target %d is %v, want %v", i, got.Y[i], y)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a second method of one name was registered")
		}
	}()
	infer.Register(hildreth{})
}

// twoFriends is a program of two targets: the first wants to be 1, the second 0, they want to be
// equal, and they have to add up to 1.2.
func twoFriends(t *testing.T) *lcqp.Instance {
	s := infertest.New(2)
	s.Soft(s.Rule(2, false), 1, []int32{0}, -1)
	s.Soft(s.Rule(1, false), 0, []int32{1}, 1)
	equal := s.Rule(3, true)
	s.Soft(equal, 0, []int32{0, 1}, 1, -1)
	s.Soft(equal, 0, []int32{0, 1}, -1, 1)
	s.Hard(hlmrf.Equal, -1.2, []int32{0, 1}, 1, 1)
	return s.Instance(t, 0.01)
}

// TestCapabilities holds methods to what they say of themselves: those that prove a gap
// close it, and exact ones as far as rounding allows, from wherever they begin.
func TestCapabilities(t *testing.T) {
	in := twoFriends(t)
	for _, name := range infer.Names() {
		m, err := infer.New(name)
		require.NoError(t, err)
		s := infer.Settings{Method: m, NoPresolve: true, GapTolerance: 1e-13, FeasibilityTolerance: 1e-2, StationarityTolerance: 1e-2}
		c := m.Capabilities()
		switch {
		case c.Exact:
			s.GapTolerance, s.FeasibilityTolerance, s.StationarityTolerance = 1e-13, 1e-12, 1e-10
			s.MaxIterations = 100
		case c.ProvesGap:
			s.GapTolerance = 3e-4
		}
		for _, start := range [][]float64{nil, {0, 0}, {1, 1}} {
			var res infer.Result
			require.NoError(t, infer.Solve(in, &infer.Warm{Y: start}, s, &res))
			if solved := res.Status == infer.Solved; solved != c.ProvesGap {
				t.Errorf("%s from %v: %v, gap %.2g, but it says %+v", name, start, res.Status, res.TotalGap, c)
			}
		}
	}
}
