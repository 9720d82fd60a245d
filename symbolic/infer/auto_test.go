package infer

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/activeset"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp/lcqptest"
)

// The fallback must raise the dual, or leave λ alone.
func TestFallbackAscends(t *testing.T) {
	fallbacks := 0
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *Problem) {
		var x auto
		x.Init(p)
		x.ascent.Iterate(p)
		before := dualOf(&x, p)
		x.improve(p, activeset.ShortFactor)
		after := dualOf(&x, p)
		if fell(before, after) {
			t.Errorf("seed %d: the dual falls from %v to %v", seed, before, after)
		}
		if len(x.safeDual) > 0 {
			fallbacks++
		}
	})
	if fallbacks < 100 {
		t.Errorf("only %d fallbacks", fallbacks)
	}
}

// Sharp outputs are where it is needed: with the fallback they take few sweeps.
func TestFallbackIsUsed(t *testing.T) {
	ins := infertest.Additions(t, lcqptest.Add2, 6, 12, false)
	p := new(Problem)
	used := false
	for _, in := range ins {
		pre := problem.Presolve{Tol: problem.NeverActive}
		pre.Run(in, 0, problem.ReduceMerged, p)
		pre.Start(p, nil, nil)
		var x auto
		x.Init(p)
		for range 20 {
			if x.Iterate(p) == Settled {
				break
			}
		}
		used = used || len(x.safeDual) > 0
	}
	if !used {
		t.Error("no fallback in any of them")
	}
}

// When Newton steps stall for good, the interior point itself is the answer.
func TestFallbackLands(t *testing.T) {
	in := infertest.Additions(t, lcqptest.Add2, 1, 12, false)[0]
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(Problem)
	pre.Run(in, 0, problem.ReduceMerged, p)
	pre.Start(p, nil, nil)
	var x auto
	x.Init(p)
	x.ascent.Iterate(p)
	for range 30 {
		if x.stalled(p) == Settled {
			break
		}
	}
	if !x.landed {
		t.Fatal("not landed")
	}
	x.Point(p)
	v := p.Evaluate(make([]float64, p.Targets))
	if gap := v.Primal - v.Dual; gap > 1e-8 || v.Violation > problem.NeverActive || v.Stationarity > 1e-7 {
		t.Errorf("landed at %+v", v)
	}
}

// A long ascent ends at the interior point's answer, if that is good enough.
func TestLongAscentFallsBack(t *testing.T) {
	in := infertest.Additions(t, lcqptest.Add2, 1, 12, false)[0]
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(Problem)
	pre.Run(in, 0, problem.ReduceMerged, p)
	pre.Start(p, nil, nil)
	p.Goal = problem.Tolerance{Relative: 1e-6, Absolute: 1e-6, Offset: in.Epsilon, Violation: 1e-6, Stationarity: 1e-6}
	var x auto
	x.Init(p)
	x.sweeps = longAscentArrow - 1
	if x.Iterate(p) != Settled || !x.landed {
		t.Fatal("not landed")
	}
	x.Point(p)
	if v := p.Evaluate(make([]float64, p.Targets)); !p.Goal.Met(&v, 0.5) {
		t.Errorf("landed at %+v", v)
	}
	p.Goal.Relative, p.Goal.Absolute, p.Goal.Violation = 0, 0, 0
	x.Init(p)
	x.sweeps = longAscentArrow - 1
	if x.Iterate(p) != Moving || x.landed {
		t.Error("landed at an answer that is not good enough")
	}
}

// On additions, whose interior point systems are nearly diagonal, the method falls back
// soon: it is never much slower than the interior point method, and the
// answer is as exact.
func TestFallsBackSoon(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(float64) *lcqptest.Addition
		margin float64
	}{{"add1", lcqptest.Add1, 12}, {"add1 half sharp", lcqptest.Add1, 6}, {"add2", lcqptest.Add2, 12}, {"add2 half sharp", lcqptest.Add2, 6}} {
		ins := infertest.Additions(t, c.make, 24, c.margin, false)
		s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
		ascent, interior := results(len(ins)), results(len(ins))
		if err := SolveAll(ins, nil, s, ascent); err != nil {
			t.Fatal(err)
		}
		s.Method = InteriorPoint{}
		if err := SolveAll(ins, nil, s, interior); err != nil {
			t.Fatal(err)
		}
		for n, in := range ins {
			mustBeSolved(t, in, ascent[n])
			mustBeSolved(t, in, interior[n])
			a, b := &ascent[n].Stats, &interior[n].Stats
			if a.Iterations > longAscentArrow+1 || a.Factorizations > b.Factorizations+30 {
				t.Errorf("%s %d: %+v, interior point method %+v", c.name, n, a, b)
			}
			if d := math.Abs(ascent[n].PrimalValue - interior[n].PrimalValue); d > 2e-6 {
				t.Errorf("%s %d: values differ by %v", c.name, n, d)
			}
		}
	}
}

// A warm start from the answer of the fallback has nothing left to do.
func TestWarmAfterFallback(t *testing.T) {
	ins := infertest.Additions(t, lcqptest.Add2, 16, 12, false)
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
	res, warms := results(len(ins)), make([]*Warm, len(ins))
	if err := SolveAll(ins, nil, s, res); err != nil {
		t.Fatal(err)
	}
	for n, r := range res {
		if r.Stats.Factorizations < 10 {
			t.Errorf("%d: no fallback, %+v", n, r.Stats)
		}
		warms[n] = new(Warm)
		r.SaveWarm(warms[n])
	}
	if err := SolveAll(ins, warms, s, res); err != nil {
		t.Fatal(err)
	}
	for n, r := range res {
		if r.Stats.Iterations > 0 {
			t.Errorf("%d: %+v for a problem that was solved already", n, r.Stats)
		}
	}
}
