package infer

import (
	"testing"
)

// TestNoStatus: a value that is no status is printed as one.
func TestNoStatus(t *testing.T) {
	if s := Status(200); s.String() != "no status: 200" || s.Name() != "" {
		t.Errorf("%q, %q", s.String(), s.Name())
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
