package infer

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/sparse"
)

// cramped is the interior point method with room for few entries.
type cramped struct{ InteriorPoint }

func (cramped) NewSolver() Solver { return &ipm.Interior{Limits: sparse.Limits{Fill: 10}} }

// A component whose factor would not fit is refused, in words, and without
// harm to others.
func TestInteriorPointRefuses(t *testing.T) {
	in := infertest.Family(t, "chain", 3200)
	res := solve(t, in, nil, Settings{Method: cramped{}})
	if res.Status != TooLarge || res.Stats.Factorizations != 0 {
		t.Errorf("%v after %d factorisations", res.Status, res.Stats.Factorizations)
	}
	assert.ErrorContains(t, res.Err(), "auto", "the")
	for i, y := range res.Y {
		if y < in.Lower[i] || y > in.Upper[i] {
			t.Fatalf("target %d is %v", i, y)
		}
	}
	mustBeSolved(t, in, solve(t, in, nil, Settings{Method: InteriorPoint{}}))
}

// unfactored is the interior point method without a factor.
type unfactored struct{ InteriorPoint }

func (unfactored) NewSolver() Solver { return &ipm.Interior{Inexact: true} }

// Where targets are coupled by definite forms the interior point method does without a factor;
// where equalities couple them, it refuses.
func TestInteriorPointWithoutFactor(t *testing.T) {
	for _, name := range []string{"cube", "grid", "knn-regression"} {
		in := infertest.Family(t, name, 12000)
		res := solve(t, in, nil, Settings{Method: unfactored{}})
		mustBeSolved(t, in, res)
		if s := res.Stats; s.Factorizations > 0 || s.Krylov < s.Iterations {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if res := solve(t, infertest.Family(t, "knn-labels", 3000), nil, Settings{Method: unfactored{}}); res.Status != TooLarge {
		t.Errorf("with equalities: %v", res.Status)
	}
}

// The default goes on without a factor where none fits and its dual has kinks: by the interior point
// method, where Newton steps on the dual would go on.
func TestAutoWithoutFactor(t *testing.T) {
	largest := ipm.Largest
	ipm.Largest = sparse.Limits{Fill: 10}
	defer func() { ipm.Largest = largest }()
	in := infertest.Family(t, "cube", 12000)
	res := solve(t, in, nil, Settings{})
	mustBeSolved(t, in, res)
	if s := res.Stats; s.Factorizations > 0 || s.Krylov == 0 || s.Newton > 5 {
		t.Errorf("%+v", res.Stats)
	}
}
