package infer

import (
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// Dependent and contradictory rows must not produce NaN or a false claim.
func TestInteriorDegenerate(t *testing.T) {
	for name, b := range map[string]*infertest.Build{
		"equal equalities":     infertest.New(2).EQ(-1, 1, 1).EQ(-1, 1, 1).EQ(-2, 2, 2).Square(1, -0.2, 1, 0),
		"no interior":          infertest.New(2).LE(-1, 1, 1).LE(1, -1, -1).Square(1, -0.2, 1, 0),
		"only a corner":        infertest.New(2).LE(0, 1, 1).Square(1, 1, -1, -1),
		"zero weight":          infertest.New(2).Linear(0, 0.5, 1, -1).Square(0, 0.5, 1, 1),
		"tiny and big weights": infertest.New(2).Linear(1e-6, 0.5, 1, -1).Square(1e4, 0.5, -1, 1).EQ(-1, 1, 1),
	} {
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			in := b.Instance(t, 0.01)
			res := solve(t, in, nil, Settings{Method: m})
			if res.Status != Solved {
				t.Errorf("%s, %s: %v", name, m.Name(), res.Status)
			} else if r := lcqp.Residuals(in, &res.Solution); !(r.Max() < 1e-6*max(1, slices.Max(in.Weights))) {
				t.Errorf("%s, %s: %+v", name, m.Name(), r)
			}
		}
	}
}
