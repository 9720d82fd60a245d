package infer

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

// closer closes a channel at a test of the stop rule.
type closer struct {
	at   int
	stop chan struct{}
}

func (c *closer) Record(r Record) {
	if r.Iteration == c.at {
		close(c.stop)
	}
}

// Stop ends a solve with the point reached, and with the last feasible one where the
// present one is not.
func TestStop(t *testing.T) {
	in := infertest.New(1).LE(-0.3, 1).Square(2, 0.5, -1).Instance(t, 0.1) // y ≤ 0.3 against (½ − y)²
	at := func(y float64) act { return act{y: []float64{y}, dual: []float64{0, 0}, progress: Moving} }
	acts := []act{at(0.1), at(0.2), at(0.9), at(0.25), at(0.26)}
	for n, want := range map[int]float64{0: 0.1, 1: 0.2, 2: 0.2, 3: 0.25} {
		c := &closer{n, make(chan struct{})}
		res := solve(t, in, nil, Settings{Method: script{&acts}, NoPresolve: true, Stop: c.stop, Recorder: c.Record})
		if res.Status != TimeLimit || res.Y[0] != want || res.MaxViolation > 1e-9 || res.Stats.Iterations != n {
			t.Errorf("stopped at %d: %v after %d iterations, y = %v, violation %v, want %v", n, res.Status, res.Stats.Iterations, res.Y, res.MaxViolation, want)
		}
		if gap := res.PrimalValue - res.DualValue; !(gap > 0) || res.TotalGap != gap {
			t.Errorf("stopped at %d: the gap is %v of %v and %v", n, res.TotalGap, res.PrimalValue, res.DualValue)
		}
	}
	// Without a feasible point so far there is only the present one.
	none := []act{at(0.9), at(0.8)}
	c := &closer{1, make(chan struct{})}
	if res := solve(t, in, nil, Settings{Method: script{&none}, NoPresolve: true, Stop: c.stop, Recorder: c.Record}); res.Y[0] != 0.8 || !(res.MaxViolation > 0.4) {
		t.Errorf("y = %v, violation %v", res.Y, res.MaxViolation)
	}
}
