package infer

import (
	"strings"
	"testing"
)

// Worse statuses are larger, so that the largest of the components' is the
// instance's, and the first words of the sentence tell which it is.
func TestStatusOrder(t *testing.T) {
	for n, c := range []struct {
		status Status
		word   string
	}{
		{NotRun, "not run"}, {Solved, "solved"}, {AlmostSolved, "almost"}, {OwnRule, "stopped by the method"}, {IterationLimit, "iteration"},
		{TimeLimit, "time"}, {NoProgress, "no further"}, {TooLarge, "too large"}, {Infeasible, "infeasible"},
	} {
		if int(c.status) != n || !strings.HasPrefix(c.status.String(), c.word) {
			t.Errorf("status %d is %d and says %q, want %q", n, c.status, c.status, c.word)
		}
	}
}

// The status of an instance is the worst of its components'.
func TestWorstStatus(t *testing.T) {
	for a := Solved; a <= Infeasible; a++ {
		for b := Solved; b <= Infeasible; b++ {
			r := Result{Components: []ComponentResult{{Status: Solved}, {Status: a}, {Status: b}, {Status: Solved}}}
			r.sum()
			if r.Status != max(a, b) {
				t.Errorf("of %v and %v the worst is %v", a, b, r.Status)
			}
		}
	}
}
