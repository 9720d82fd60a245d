package problem

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

func runPresolve(t *testing.T, in *lcqp.Instance, level Reduction) (*Presolve, *Problem, bool) {
	t.Helper()
	pre, p := &Presolve{Tol: NeverActive}, new(Problem)
	ok := pre.Run(in, 0, level, p)
	return pre, p, ok
}

// Contradictions that presolve finds come with a valid proof.
func TestPresolveContradictions(t *testing.T) {
	for name, b := range map[string]*infertest.Build{
		"one row":             infertest.New(2).LE(0.5, 1, 1),
		"equality too small":  infertest.New(2).EQ(-3, 1, 1),
		"equality too big":    infertest.New(2).EQ(3, 1, -1),
		"two equalities":      infertest.New(1).EQ(-0.25, 1).EQ(-0.5, 1),
		"chain":               infertest.New(3).EQ(-1, 1, 0, 0).EQ(0, 1, -1, 0).EQ(0, 0, 1, -1).LE(-0.5, 0, 0, 1),
		"chain of equalities": infertest.New(3).EQ(-0.3, 1, 0, 0).EQ(-1, 1, 2, 0).EQ(-1, 0, 1, 1).EQ(-0.1, 0, 0, 1),
	} {
		in := b.Square(1, -0.5, 1).Instance(t, 0.1)
		pre, _, ok := runPresolve(t, in, ReduceMerged)
		if ok {
			t.Errorf("%s: not noticed", name)
			continue
		}
		c := pre.Certificate()
		if m := c.Margin(in); !(m > 1e-9) {
			t.Errorf("%s: margin %v of %+v", name, m, c)
		}
	}
}
