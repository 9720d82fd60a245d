package problem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A hard row a − b + c ≤ k is dropped where a ≤ b, from another row or from the bounds, leaves it no
// room to be broken, and only there.
func TestPresolveImplied(t *testing.T) {
	for name, c := range map[string]struct {
		order, k, most, least float64 // a − b ≤ order, a ≤ most, b ≥ least
		left                  int
	}{
		"follows":                     {0, 1, 1, 0, 1},
		"follows from less":           {-0.1, 1, 1, 0, 1},
		"c may be too large":          {0, 0.9, 1, 0, 2},
		"the order leaves room":       {0.1, 1, 1, 0, 2},
		"follows from the bounds":     {0, 0.7, 0.2, 0.5, 0},
		"the bounds leave some room":  {0, 0.69, 0.2, 0.5, 1},
		"another order of the bounds": {0, 1, 0.5, 0.2, 1},
	} {
		in := infertest.New(3).LE(-c.order, 1, -1, 0).LE(-c.k, 1, -1, 1).Instance(t, 0.1)
		require.NoError(t, in.SetBounds([]float64{0, c.least, 0}, []float64{c.most, 1, 1}))
		_, p, ok := runPresolve(t, in, ReduceMerged)
		require.True(t, ok, name)
		assert.Equal(t, c.left, p.Rows, name)
	}
}
