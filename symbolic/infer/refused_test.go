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
