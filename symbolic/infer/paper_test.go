package infer

import (
	"math"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp/lcqptest"
)

func TestPaperBCDRandom(t *testing.T) {
	testFirstOrder(t, PaperBCD{}, 200, 1e-5, 5000, 0.6)
	testFirstOrder(t, PaperBCD{InOrder: true}, 60, 1e-5, 5000, 0.6)
}

// Another seed is another path to the same optimum.
func TestPaperBCDSeed(t *testing.T) {
	in := infertest.Grid(t, 5, 0.05)
	s := within(PaperBCD{}, 1e-7)
	one := mustSolve(t, in, nil, s)
	s.Method = PaperBCD{Seed: 5}
	other := mustSolve(t, in, nil, s)
	if one.Status != Solved || other.Status != Solved {
		t.Fatal(one.Status, other.Status)
	}
	if slices.Equal(one.Y, other.Y) {
		t.Error("two seeds, the same bits")
	}
	if d := math.Abs(one.PrimalValue - other.PrimalValue); d > 1e-6 {
		t.Errorf("values differ by %v", d)
	}
}

// A start with all multipliers 0 ends at the same optimum, costs more sweeps on
// additions, and changes nothing for a warm start.
func TestPaperBCDZeroStart(t *testing.T) {
	sweeps, fromZero := 0, 0
	for _, in := range infertest.Additions(t, lcqptest.Add1, 3, 3, false) {
		exact := mustSolve(t, in, nil, Settings{Method: InteriorPoint{}})
		for _, m := range []Method{PaperBCD{}, PaperBCD{ZeroStart: true}, LockFreeBCD{ZeroStart: true}} {
			s := within(m, 1e-2)
			s.MaxIterations = 3000
			res := mustSolve(t, in, nil, s)
			compare(t, in, res, s, exact.PrimalValue, &exact.Solution)
			if m == (PaperBCD{}) {
				sweeps += res.Stats.Iterations
			} else if m == (PaperBCD{ZeroStart: true}) {
				fromZero += res.Stats.Iterations
			}
		}
		var warm Warm
		exact.SaveWarm(&warm)
		s := Settings{Method: PaperBCD{}, MaxIterations: 20}
		one := mustSolve(t, in, &warm, s)
		s.Method = PaperBCD{ZeroStart: true}
		if other := mustSolve(t, in, &warm, s); !slices.Equal(one.Y, other.Y) {
			t.Error("ZeroStart changes a warm start")
		}
	}
	t.Logf("%d sweeps, %d from zero", sweeps, fromZero)
	if fromZero < 5*sweeps {
		t.Errorf("%d sweeps, %d from zero: the note on ZeroStart is out of date", sweeps, fromZero)
	}
}
