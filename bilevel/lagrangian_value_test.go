package bilevel

import (
	"math"
	"testing"
)

// TestReferencePenalty: without slacks the penalty is that of max(0, c), and
// vanishes with its derivative where the constraint holds.
func TestReferencePenalty(t *testing.T) {
	l := newLagrangianValue(&Settings{Lagrangian: Lagrangian{Slack: SlackNone}}, 1, 1, 0)
	l.penalty, l.iota, l.lambda[0] = 2, 0.1, 0.5
	for _, c := range []struct{ gap, q, penalty float64 }{
		{0.05, 0, 0}, {0.1, 0, 0}, {0.1 + 1e-12, 0, 0}, {0.3, 0.5 + 2*0.2, 0.5*0.2 + 0.2*0.2},
	} {
		var got Terms
		q := l.constraint(0, c.gap, &got)
		if math.Abs(q-c.q) > 1e-15 || math.Abs(got.Linear+got.Quadratic-c.penalty) > 1e-12 {
			t.Errorf("gap %v: derivative %v, penalty %v; want %v and %v", c.gap, q, got.Linear+got.Quadratic, c.q, c.penalty)
		}
	}
}
