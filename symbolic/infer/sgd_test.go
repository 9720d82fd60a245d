package infer

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// incremental are the methods of package sgd, with rates that suit weights of 1.
var incremental = []Method{SGD{}, SGD{Extension: AdaGrad, Constant: true, Rate: 0.1}, SGD{Extension: Adam, Rate: 0.1}}

// The point comes near the optimum and holds the hard rows in the judge's eyes, and the
// multipliers are valid: they bound the optimum from below.
func TestSGDNearOptimum(t *testing.T) {
	for name, in := range map[string]*lcqp.Instance{
		"soft": infertest.Soft(t), "chain": infertest.Chain(t, 60, 0.01), "grid": infertest.Grid(t, 6, 0.01),
		"addition": infertest.Additions(t, lcqptest.Add1, 1, 3, false)[0],
	} {
		exact := mustSolve(t, in, nil, Settings{Method: InteriorPoint{}})
		for _, m := range incremental {
			s := Settings{Method: m, MaxIterations: 1000, CheckEvery: 1000}
			res := mustSolve(t, in, nil, s)
			compare(t, in, res, s, exact.PrimalValue, &exact.Solution)
			v := lcqp.Residuals(in, &res.Solution)
			t.Logf("%s, %s: %.6g, optimum %.6g, bound %.6g", name, m.Name(), v.PrimalValue, exact.PrimalValue, res.DualValue)
			if v.Primal > 1e-6 || v.DualSign > 0 {
				t.Errorf("%s, %s: hard rows off by %g, signs of multipliers by %g", name, m.Name(), v.Primal, v.DualSign)
			}
			if off := v.PrimalValue - exact.PrimalValue; !(off > -1e-6 && off < 0.002+0.02*exact.PrimalValue) {
				t.Errorf("%s, %s: value %v, optimum %v", name, m.Name(), v.PrimalValue, exact.PrimalValue)
			}
		}
	}
}

// Plain steps prove a gap; with a gap to reach they are called solved, and are.
func TestSGDRandom(t *testing.T) { testFirstOrder(t, SGD{}, 100, 1e-2, 2000, 0.4) }

// The reference's stop rule: the tighter the threshold, the later it ends, and the nearer
// to the optimum; the status promises no gap.
func TestSGDOwnRule(t *testing.T) {
	s := infertest.NewSketch(t, 10)
	pull, push := s.Rule(1, true), s.Rule(0.5, true)
	for i := range int32(10) {
		s.Soft(pull, 0.1*float64(i), []int32{i}, -1)
		s.Soft(pull, -0.1*float64(i), []int32{i}, 1)
		if i > 0 {
			s.Soft(push, -0.2, []int32{i - 1, i}, 1, 1)
		}
	}
	in := s.Instance(1e-8)
	exact := mustSolve(t, in, nil, Settings{})
	for _, extension := range []SGD{{Rate: 0.3}, {Extension: AdaGrad, Constant: true, Rate: 0.1}, {Extension: Adam, Rate: 0.1, Decay: 0.75}} {
		last := 0
		for _, threshold := range []float64{1e-1, 1e-2, 1e-3} {
			m := extension
			m.Threshold = threshold
			res := mustSolve(t, in, nil, Settings{Method: m, GapTolerance: 1e-300, FeasibilityTolerance: 5e-3, CheckEvery: 1})
			if res.Status != OwnRule || res.Stats.Iterations < last {
				t.Errorf("%s, threshold %v: %v after %d passes, before %d", m.Name(), threshold, res.Status, res.Stats.Iterations, last)
			}
			last = res.Stats.Iterations
			for i, y := range res.Y {
				if math.Abs(y-exact.Y[i]) > 3*threshold {
					t.Errorf("%s, threshold %v: target %d is %v, the optimum %v", m.Name(), threshold, i, y, exact.Y[i])
				}
			}
		}
	}
}

func TestSGDOptions(t *testing.T) {
	nan := math.NaN()
	for _, m := range []SGD{{Extension: 3}, {Rate: -1}, {Rate: nan}, {Decay: math.Inf(1)}, {Beta1: 1}, {Beta2: nan},
		{Threshold: -1}, {Norm: 0.5}, {Norm: nan}} {
		if m.Validate() == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
	for _, m := range incremental {
		if made, err := New(m.Name()); err != nil || made.Name() != m.Name() {
			t.Errorf("New(%q) = %v, %v", m.Name(), made, err)
		}
	}
}
