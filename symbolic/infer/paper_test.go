package infer

import (
	"math"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

func TestPaperBCDRandom(t *testing.T) {
	testFirstOrder(t, PaperBCD{}, 200, 1e-5, 5000, 0.6)
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
