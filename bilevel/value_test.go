package bilevel

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// TestWarmStateSavesWork: a bound warm state makes a repeated solve cheaper and
// leaves its value alone.
func TestWarmStateSavesWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	f := randomValue(t, rng, 1)
	w, g := uniform(rng, f.Template().Rules, 0.2, 1), uniform(rng, f.Template().Deep, 0, 1)
	f.Bind(0, new(infer.Warm))
	if err := f.Solve(w, g); err != nil {
		t.Fatal(err)
	}
	cold, value := f.Result(0).Stats.Iterations, f.Values()[0]
	if err := f.Solve(w, g); err != nil {
		t.Fatal(err)
	}
	if warm := f.Result(0).Stats.Iterations; warm >= cold && cold > 1 {
		t.Errorf("%d iterations from the solution, %d from nothing", warm, cold)
	}
	if d := math.Abs(f.Values()[0] - value); d > 1e-9 {
		t.Errorf("the value moved by %v", d)
	}
}

// TestCheckFindsBadSolutions: with Check, a solve stopped before its time is an
// error that says so; without, it is counted.
func TestCheckFindsBadSolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	template, err := lcqp.Compile(randomProgram(rng, 8, 4, 4, 40))
	if err != nil {
		t.Fatal(err)
	}
	// A method that does not end its iterations with an exact step.
	early := infer.Settings{Method: infer.Subgradient{}, MaxIterations: 1, CheckEvery: 1}
	w, g := uniform(rng, 4, 0.2, 1), uniform(rng, 4, 0, 1)
	f, err := New(template, 1, Options{Epsilon: 0.01, Solver: early, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	var bad *CheckError
	if err := f.Solve(w, g); !errors.As(err, &bad) {
		t.Errorf("got %v, want a CheckError", err)
	}
	f.opt.Check = false
	f.ResetStats()
	if err := f.Solve(w, g); err != nil {
		t.Fatal(err)
	}
	if s := f.Stats(); s.Solves != 1 || s.Unsolved != 1 || s.WorstGap == 0 || s.Seconds == 0 {
		t.Errorf("stats %+v, want one unsolved solve with a gap", s)
	}
}

// TestInfeasible: labels that contradict a hard rule are an error that names
// the slot.
func TestInfeasible(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	f := randomValue(t, rng, 2)
	for i := range 3 { // y0 + y1 + y2 = 1
		if err := f.Instance(1).Fix(i, 1); err != nil {
			t.Fatal(err)
		}
	}
	w, g := uniform(rng, f.Template().Rules, 0.2, 1), uniform(rng, 2*f.Template().Deep, 0, 1)
	err := f.Solve(w, g)
	var infeasible *infer.InfeasibleError
	if !errors.As(err, &infeasible) || !strings.Contains(err.Error(), "slot 1") {
		t.Errorf("got %v, want an InfeasibleError for slot 1", err)
	}
}

func TestArgumentErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	f := randomValue(t, rng, 2)
	tm := f.Template()
	graph := gorgonia.NewGraph()
	w := input(graph, "w", uniform(rng, tm.Rules, 0, 1))
	g := input(graph, "g", uniform(rng, 2*tm.Deep, 0, 1))
	y := input(graph, "y", uniform(rng, 2*tm.Targets, 0, 1))
	short := input(graph, "short", []float64{1})
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

// TestEnergyIsRaw: the value a slot reports is the regularised optimum, and the
// energy beside it the program's own.
func TestEnergyIsRaw(t *testing.T) {
	p := &hlmrf.Program{Targets: []string{"Y"}, Rules: []hlmrf.Rule{{Weight: 2, Squared: true}}}
	p.Potentials.Append([]int32{0}, []float64{-1}, nil, nil, 1) // max(0, 1 − y)²
	p.PotentialRule = []int32{0}
	template, err := lcqp.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	const eps = 0.5
	f, err := New(template, 1, Options{Epsilon: eps, Solver: tight})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Solve([]float64{2}, nil); err != nil {
		t.Fatal(err)
	}
	// min (w+ε)(1−y)² + εy²: y = (w+ε)/(w+2ε) = 5/6.
	y := 2.5 / 3.0
	if want := 2.5*(1-y)*(1-y) + eps*y*y; math.Abs(f.Values()[0]-want) > 1e-9 {
		t.Errorf("value %v, want %v", f.Values()[0], want)
	}
	if want := 2 * (1 - y) * (1 - y); math.Abs(f.Result(0).Energy-want) > 1e-6 {
		t.Errorf("energy %v, want %v", f.Result(0).Energy, want)
	}
}
