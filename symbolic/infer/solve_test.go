package infer

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/baselines/paper"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func TestSolveRejects(t *testing.T) {
	in := infertest.New(2).Square(1, 0, 1, 1).Instance(t, 0.1)
	ins, res := []*lcqp.Instance{in}, []*Result{new(Result)}
	for name, call := range map[string]func() error{
		"settings":     func() error { return Solve(in, nil, Settings{Workers: -2}, res[0]) },
		"nil instance": func() error { return Solve(nil, nil, Settings{}, res[0]) },
		"nil result":   func() error { return Solve(in, nil, Settings{}, nil) },
		"results":      func() error { return SolveAll(ins, nil, Settings{}, nil) },
		"warm states":  func() error { return SolveAll(ins, make([]*Warm, 2), Settings{}, res) },
		"warm duals":   func() error { return Solve(in, &Warm{Dual: []float64{1, 2}}, Settings{}, res[0]) },
		"warm targets": func() error { return Solve(in, &Warm{Y: []float64{1}}, Settings{}, res[0]) },
		"warm NaN":     func() error { return Solve(in, &Warm{Dual: []float64{math.NaN()}}, Settings{}, res[0]) },
		"result is used twice": func() error {
			return SolveAll([]*lcqp.Instance{in, in}, nil, Settings{}, []*Result{res[0], res[0]})
		},
	} {
		if err := call(); err == nil || !strings.HasPrefix(err.Error(), "infer: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Results must not depend on the number of goroutines, bit for bit.
func TestDeterminism(t *testing.T) {
	ins := infertest.Additions(t, lcqptest.Add1, 6, 12, false)
	ins = append(ins, infertest.Additions(t, lcqptest.Add2, 2, 12, false)...)
	for seed := range uint64(8) {
		ins = append(ins, lcqptest.Random(rand.New(rand.NewPCG(seed, 1)),
			lcqptest.Shape{Targets: 60, Rows: 80, Separate: true}).Instance)
	}
	for _, m := range []Method{Auto{}, InteriorPoint{}, paper.PaperBCD{}} {
		s := Settings{Method: m, MaxIterations: 50}
		var want []*Result
		for _, workers := range []int{1, 2, 3, 7} {
			s.Workers = workers
			got := results(len(ins))
			require.NoError(t, SolveAll(ins, nil, s, got))
			if want == nil {
				want = got
				continue
			}
			for n := range ins {
				mustBeEqual(t, want[n], got[n], m.Name())
			}
		}
		old := runtime.GOMAXPROCS(1)
		s.Workers = 0
		got := results(len(ins))
		err := SolveAll(ins, nil, s, got)
		runtime.GOMAXPROCS(old)
		require.NoError(t, err)
		for n := range ins {
			mustBeEqual(t, want[n], got[n], m.Name()+" with one processor")
		}
	}
}

func mustBeEqual(t *testing.T, want, got *Result, name string) {
	t.Helper()
	if !slices.Equal(want.Y, got.Y) || !slices.Equal(want.Dual, got.Dual) || !slices.Equal(want.Slack, got.Slack) ||
		!slices.Equal(want.LowerDual, got.LowerDual) || want.PrimalValue != got.PrimalValue ||
		want.DualValue != got.DualValue || want.Status != got.Status || want.Stats != got.Stats {
		t.Fatalf("%s: results differ", name)
	}
}

// A result that is used again must not remember anything.
func TestReuse(t *testing.T) {
	var used Result
	for seed := range uint64(60) {
		in := infertest.Known(seed).Instance
		require.NoError(t, Solve(in, nil, Settings{}, &used))
		mustBeEqual(t, solve(t, in, nil, Settings{}), &used, "used result")
	}
}

func TestSettingsLimits(t *testing.T) {
	ins := infertest.Additions(t, lcqptest.Add2, 1, 12, false)
	res := solve(t, ins[0], nil, Settings{Method: paper.PaperBCD{}, MaxIterations: 20})
	if res.Status != IterationLimit || res.Stats.Iterations != 20 || res.Err() == nil {
		t.Errorf("%v after %d iterations, error %v", res.Status, res.Stats.Iterations, res.Err())
	}
	begin := time.Now()
	res = solve(t, ins[0], nil, Settings{Method: paper.PaperBCD{}, MaxTime: time.Millisecond})
	if res.Status != TimeLimit || time.Since(begin) > 10*time.Second {
		t.Errorf("%v after %v", res.Status, time.Since(begin))
	}
	// An absolute gap stops earlier.
	loose := solve(t, ins[0], nil, Settings{Method: InteriorPoint{}, GapAbsolute: 1e-3, FeasibilityTolerance: 1e-3, StationarityTolerance: 1})
	tight := solve(t, ins[0], nil, Settings{Method: InteriorPoint{}})
	if loose.Status != Solved || loose.TotalGap > 1e-3 || loose.Stats.Iterations >= tight.Stats.Iterations {
		t.Errorf("%v with gap %v after %d iterations, %d for the default", loose.Status, loose.TotalGap,
			loose.Stats.Iterations, tight.Stats.Iterations)
	}
}

func TestRecorder(t *testing.T) {
	in := infertest.Additions(t, lcqptest.Add1, 1, 12, false)[0]
	var records []Record
	s := Settings{Method: InteriorPoint{}, Recorder: func(r Record) { records = append(records, r) }}
	res := solve(t, in, nil, s)
	mustBeSolved(t, in, res)
	require.Equal(t, res.Stats.Checks, len(records))
	for n, r := range records {
		if n > 0 && r.Iteration < records[n-1].Iteration || r.Component != 0 || r.Instance != 0 {
			t.Errorf("record %d: %+v", n, r)
		}
	}
	last := records[len(records)-1]
	if last.Primal != res.PrimalValue || last.Dual != res.DualValue {
		t.Errorf("last record %+v, result %v and %v", last, res.PrimalValue, res.DualValue)
	}
	// Observing changes nothing.
	s.Recorder = nil
	mustBeEqual(t, solve(t, in, nil, s), res, "without recorder")
}

func TestStatus(t *testing.T) {
	seen := map[string]bool{}
	for s := NotRun; s <= Infeasible; s++ {
		if text := s.String(); text == "" || seen[text] {
			t.Errorf("status %d is %q", s, text)
		}
		seen[s.String()] = true
		if s.OK() != (s == Solved || s == AlmostSolved) {
			t.Errorf("%v: OK is %v", s, s.OK())
		}
	}
	var e *InfeasibleError
	if err := (&Result{Status: NoProgress}).Err(); err == nil || errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
	assert.NoError(t, (&Result{Status: AlmostSolved}).Err())
}

// An instance without rows, without targets, or without anything.
func TestTrivialInstances(t *testing.T) {
	in := infertest.New(2).Instance(t, 0.5)
	require.NoError(t, in.SetProx([]float64{1, 0}, []float64{0.75, 0}))
	res := solve(t, in, nil, Settings{})
	mustBeSolved(t, in, res)
	if !infertest.Near(res.Y[0], 0.5, 1e-12) || res.Y[1] != 0 { // (½ + 1)y = ¾
		t.Errorf("y = %v", res.Y)
	}
	in = infertest.New(0).Square(2, 0.5).Linear(1, -1).Instance(t, 0.5)
	res = solve(t, in, nil, Settings{})
	mustBeSolved(t, in, res)
	if want := 2.5 * 0.25; !infertest.Near(res.PrimalValue, want, 1e-12) || !infertest.Near(res.Energy, 0.5, 1e-12) {
		t.Errorf("value %v, energy %v", res.PrimalValue, res.Energy)
	}
	res = solve(t, infertest.New(0).Instance(t, 1), nil, Settings{})
	if res.Status != Solved || res.PrimalValue != 0 {
		t.Errorf("%v, value %v", res.Status, res.PrimalValue)
	}
}

// TestChunks: large components are drawn one by one, so that few of them keep all
// goroutines busy, small ones together.
func TestChunks(t *testing.T) {
	for _, n := range []int{1, 4} {
		b := batch{ins: infertest.Additions(t, lcqptest.Add2, n, 3, false)}
		total := 0
		for _, in := range b.ins {
			total += len(in.Components)
		}
		assert.Equalf(t, 1, b.chunk(total), "%d components of %d additions", total, n)
		assert.Equal(t, 4, b.chunk(1000*total), "a thousand times as many")
	}
}
