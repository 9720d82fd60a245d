package neupsl

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/mapstate"
)

func newPaperSolver(t *testing.T, change func(c *config.Config)) (*mapstate.Solver, *NeuPSL) {
	t.Helper()
	c := config.Defaults(config.Config{Task: "papers"})
	c.Training.Batch = 1
	if change != nil {
		change(&c)
	}
	m := newPapers(t).model(t, c)
	s, err := m.NewSolver()
	require.NoError(t, err)
	return s, m
}

// outputsOf are beliefs of six papers in their first topics.
func outputsOf(first ...float32) []float32 {
	var g []float32
	for _, v := range first {
		g = append(g, v, 1-v)
	}
	return g
}

// An example has the same result whatever it is solved with, labels hold where they are
// given and no longer, and later weights of the model do not matter.
func TestSolver(t *testing.T) {
	s, m := newPaperSolver(t, nil)
	sure, unsure := outputsOf(1, 1, 0, 1, 0, .5), outputsOf(.6, .5, .4, .5, .5, .5)
	require.NoError(t, s.Solve(sure, 1, nil))
	alone := slices.Clone(s.Result(0).Y)
	clear(m.Weights())
	fixed := func(example int, in *lcqp.Instance) error {
		if example == 1 {
			return in.FixOneHot([]int{0, 1}, 0)
		}
		return nil
	}
	require.NoError(t, s.Solve(slices.Concat(unsure, sure, sure), 3, fixed))
	if y := s.Result(1).Y; y[0] != 1 || y[1] != 0 || slices.Equal(y, alone) || !slices.Equal(s.Result(2).Y, alone) {
		t.Errorf("with a label %v, beside it %v, alone %v", y, s.Result(2).Y, alone)
	}
	if err := s.Solve(slices.Concat(sure, sure), 2, nil); err != nil || !slices.Equal(s.Result(1).Y, alone) {
		t.Errorf("%v: after a label %v, alone %v", err, s.Result(1).Y, alone)
	}
	for i := range 2 {
		c := s.Certificate(i)
		if c.Gap > 1e-6 || c.Residual > 1e-6 || c.Violation > 1e-9 || len(c.Unmet) > 0 || c.Status != infer.Solved.String() {
			t.Errorf("%+v", c)
		}
		if e := s.Explain(i); math.Abs(e.Energy-s.Result(i).Energy) > 1e-12 || e.Broken == 0 {
			t.Errorf("%+v", e)
		}
		for _, p := range s.Support(i, 2, 5) {
			if d := p.Up + p.Down + p.Bound - 2*m.cfg.Symbolic.Epsilon*p.Value; math.Abs(d) > 1e-6 || len(p.Forces) == 0 || !strings.HasPrefix(p.Atom, "Cat(") {
				t.Errorf("out of balance by %g: %+v", d, p)
			}
		}
	}
	assert.Error(t, s.Solve(sure, 2, nil), "outputs for one example of two were taken")
}

// Hard rules that labels contradict are named, and the examples beside are solved.
func TestSolverUnmet(t *testing.T) {
	s, _ := newPaperSolver(t, nil)
	g := outputsOf(1, 1, 0, 1, 0, .5)
	err := s.Solve(slices.Concat(g, g), 2, func(example int, in *lcqp.Instance) error {
		if example == 1 {
			return nil
		}
		return errors.Join(in.Fix(0, 1), in.Fix(1, 1))
	})
	require.NoError(t, err)
	if c := s.Certificate(0); s.Result(0).Status != infer.Infeasible || len(c.Unmet) != 1 || c.Unmet[0] != "Cat(P, +K) = 1 ." || c.Judgement != nil {
		t.Errorf("%+v", c)
	}
	if c := s.Certificate(1); s.Result(1).Status != infer.Solved || len(c.Unmet) > 0 {
		t.Errorf("beside it: %+v", c)
	}
	// A point that breaks a rule is told as well.
	s.Result(1).Y[2] += 0.1
	if c := s.Certificate(1); len(c.Unmet) != 1 || c.Violation < 0.1-1e-6 || c.Residual < 0.1-1e-6 {
		t.Errorf("spoilt: %+v", c)
	}
}

// With the configured check, a bad solution is an error.
func TestSolverChecks(t *testing.T) {
	s, _ := newPaperSolver(t, func(c *config.Config) { c.Symbolic.Check, c.Symbolic.Solver, c.Symbolic.Gap = true, "subgradient", 1e9 })
	s.Tighten(1e9)
	var bad *bilevel.CheckError
	if err := s.Solve(outputsOf(1, 1, 0, 1, 0, .5), 1, nil); !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
}
