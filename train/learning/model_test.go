package learning

import (
	"math"
	"testing"

	"hinge/bilevel"
)

// TestSolverWork: what no number can say stays out of the files, which JSON could not
// hold.
func TestSolverWork(t *testing.T) {
	w := SolverWork(bilevel.Stats{Solves: 4, Unsolved: 1, Seconds: 2, GapSum: 6, WorstGap: math.Inf(1), WorstViolation: math.NaN()}, 5)
	if w.SolverSeconds != 2 || w.NeuralSeconds != 3 || w.Solves != 4 || w.Unsolved != 1 || w.MeanGap != 1.5 ||
		w.WorstGap != math.MaxFloat64 || w.WorstViolation != math.MaxFloat64 {
		t.Errorf("%+v", w)
	}
	if w := SolverWork(bilevel.Stats{}, 1); w != (Work{NeuralSeconds: 1}) {
		t.Errorf("no solves: %+v", w)
	}
}
