package infer

import (
	"math"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

func TestSubgradientRandom(t *testing.T) {
	testFirstOrder(t, Subgradient{}, 200, 1e-3, 5000, 0.4)
}

// soft is a problem without hard constraints, where the 1/t rate has a
// constant that does not hide it.
func soft(t *testing.T) *lcqp.Instance {
	s := newSketch(t, 12)
	pull, push := s.rule(1, false), s.rule(0.7, true)
	for i := range int32(12) {
		s.soft(pull, 0.1+0.05*float64(i), []int32{i}, -1)
		if i > 0 {
			s.soft(push, -0.2, []int32{i - 1, i}, 1, 1)
		}
	}
	return s.instance(0.5)
}

// The gap must fall like 1/t.
func TestSubgradientRate(t *testing.T) {
	in := soft(t)
	exact := mustSolve(t, in, nil, Settings{Method: InteriorPoint{}})
	gap := func(steps int) float64 {
		s := Settings{Method: Subgradient{}, MaxIterations: steps, CheckEvery: steps}
		res := mustSolve(t, in, nil, s)
		compare(t, in, res, s, exact.PrimalValue, &exact.Solution)
		return res.TotalGap
	}
	few, many := gap(100), gap(6400)
	t.Logf("gap %.3g after 100 steps, %.3g after 6,400", few, many)
	if !(many < few/16) {
		t.Errorf("gap %v after 100 steps, %v after 6,400", few, many)
	}
}

// The dual value at the tests of the stop rule never falls, and it is a bound.
func TestSubgradientBounds(t *testing.T) {
	for seed := range uint64(40) {
		k := random(seed)
		last := make(map[int]float64)
		s := Settings{Method: Subgradient{}, MaxIterations: 500, CheckEvery: 20}
		s.Recorder = RecorderFunc(func(r Record) {
			// The first record is of the start, before any comparison.
			if before, ok := last[r.Component]; ok && r.Dual < before-1e-9*(1+math.Abs(before)) {
				t.Errorf("seed %d, component %d, step %d: dual fell from %v to %v", seed, r.Component, r.Iteration, before, r.Dual)
			}
			last[r.Component] = r.Dual
		})
		res := mustSolve(t, k.Instance, nil, s)
		compare(t, k.Instance, res, s, k.Value, &k.Solution)
	}
}

// A penalty far below the multiplier that the optimum needs is raised until it
// is exact.
func TestSubgradientRaisesPenalties(t *testing.T) {
	s := newSketch(t, 2)
	s.soft(s.rule(20, false), 0, []int32{0, 1}, 1, 1)
	s.hard(hlmrf.Equal, -1, []int32{0, 1}, 1, 1) // against a slope of 20
	in := s.instance(0.5)
	exact := mustSolve(t, in, nil, Settings{Method: InteriorPoint{}})
	settings := within(Subgradient{Penalty: 1e-3}, 1e-2)
	res := mustSolve(t, in, nil, settings)
	// The slack of the linear hinge settles slowly, so the run may end at its
	// limit; point and gap must be good all the same.
	if res.MaxViolation > 1e-3 || res.TotalGap > 1e-2*(1+exact.PrimalValue) {
		t.Errorf("%v: gap %g, violation %g", res.Status, res.TotalGap, res.MaxViolation)
	}
	compare(t, in, res, settings, exact.PrimalValue, &exact.Solution)
}

// The point handed out is the best one seen by F, never a later and worse one.
func TestSubgradientBest(t *testing.T) {
	p := rawProblem(soft(t))
	x := Subgradient{}.NewSolver().(*subgradient)
	x.Init(p)
	least := math.Inf(1)
	for range 200 {
		least = min(least, x.value(p, x.y))
		x.Iterate(p)
		x.Point(p)
		if f := x.value(p, p.Y); f > least+1e-12 {
			t.Fatalf("F = %v handed out, %v was seen", f, least)
		}
	}
}
