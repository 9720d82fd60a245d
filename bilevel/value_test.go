package bilevel

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
	"hinge/symbolic/lcqp"
)

// TestCheckFindsBadSolutions: with Check, a solve stopped before its time is an
// error that says so; without, it is counted.
func TestCheckFindsBadSolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	template, err := lcqp.Compile(randomProgram(rng, 8, 4, 4, 40))
	require.NoError(t, err)
	// A method that does not end its iterations with an exact step.
	early := infer.Settings{Method: baselines.Subgradient{}, MaxIterations: 1, CheckEvery: 1}
	w, g := uniform(rng, 4, 0.2, 1), uniform(rng, 4, 0, 1)
	f, err := New(template, 1, Options{Epsilon: 0.01, Solver: early, Check: true})
	require.NoError(t, err)
	var bad *CheckError
	if err := f.Solve(w, g); !errors.As(err, &bad) {
		t.Errorf("got %v, want a CheckError", err)
	}
	f.opt.Check = false
	f.ResetStats()
	require.NoError(t, f.Solve(w, g))
	if s := f.Stats(); s.Solves != 1 || s.Unsolved != 1 || s.WorstGap == 0 || s.Seconds == 0 {
		t.Errorf("stats %+v, want one unsolved solve with a gap", s)
	}
}

func TestStatsAdd(t *testing.T) {
	s := Stats{Solves: 1, WorstGap: 2, GapSum: 2, WorstViolation: 3}
	s.Add(Stats{Solves: 2, Unsolved: 1, Seconds: 0.5, WorstGap: 1, GapSum: 1.5, WorstViolation: 4})
	require.Equal(t, Stats{Solves: 3, Unsolved: 1, Seconds: 0.5, WorstGap: 2, GapSum: 3.5, WorstViolation: 4}, s)
}

func TestArgumentErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	f := randomValue(t, rng, 2)
	tm := f.template
	graph := gorgonia.NewGraph()
	w := leaf(graph, "w", uniform(rng, tm.Rules, 0, 1))
	g := leaf(graph, "g", uniform(rng, 2*tm.Deep, 0, 1))
	y := leaf(graph, "y", uniform(rng, 2*tm.Targets, 0, 1))
	short := leaf(graph, "short", []float64{1})
	rho := gorgonia.NewScalar(graph, tensor.Float64, gorgonia.WithName("rho"), gorgonia.WithValue(1.0))
	ints := gorgonia.NewVector(graph, tensor.Int, gorgonia.WithName("ints"), gorgonia.WithShape(2*tm.Deep))
	for name, try := range map[string]func() error{
		"w too short":   func() error { _, err := f.Value(short, g); return err },
		"g too short":   func() error { _, err := f.Value(w, short); return err },
		"g of integers": func() error { _, err := f.Value(w, ints); return err },
		"y too short":   func() error { _, err := f.Moreau(w, g, short, rho); return err },
		"rho a vector":  func() error { _, err := f.Moreau(w, g, y, w); return err },
		"no slots":      func() error { _, err := New(tm, 0, Options{}); return err },
		"bad epsilon":   func() error { _, err := New(tm, 1, Options{Epsilon: -1}); return err },
		"rho zero": func() error {
			return f.SolveMoreau(make([]float64, tm.Rules), make([]float64, 2*tm.Deep), make([]float64, 2*tm.Targets), 0)
		},
		"g not finite": func() error {
			bad := make([]float64, 2*tm.Deep)
			bad[tm.Deep] = math.NaN()
			return f.Solve(make([]float64, tm.Rules), bad)
		},
		"negative weight": func() error {
			bad := make([]float64, tm.Rules)
			bad[0] = -1
			return f.Solve(bad, make([]float64, 2*tm.Deep))
		},
	} {
		if err := try(); err == nil {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(err.Error(), "bilevel: ") {
			t.Errorf("%s: error %q does not name the package", name, err)
		}
	}
}
