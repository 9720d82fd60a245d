package infer

import (
	"sync"
	"testing"

	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/train/exit"
)

// TestInfeasibleRanks: a model that is infeasible without a rank that has the proof is an
// error of its own exit code on all ranks.
func TestInfeasibleRanks(t *testing.T) {
	var errs [2]error
	var wg sync.WaitGroup
	for r, c := range collective.Local(2) {
		s := &solution{distributed: &JointResult{Status: infer.Infeasible}}
		wg.Go(func() { errs[r] = new(command).verdictRanks(c, s) })
	}
	wg.Wait()
	for r, err := range errs {
		if exitCode(err) != exit.Infeasible {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}
