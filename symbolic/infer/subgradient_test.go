package infer

import (
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/baselines/subgradient"
	"hinge/symbolic/infer/internal/infertest"
)

func TestSubgradientRandom(t *testing.T) {
	testFirstOrder(t, subgradient.Subgradient{}, 200, 1e-3, 5000, 0.4)
}

// A penalty far below the multiplier that the optimum needs is raised until it
// is exact.
func TestSubgradientRaisesPenalties(t *testing.T) {
	s := infertest.New(2)
	s.Soft(s.Rule(20, false), 0, []int32{0, 1}, 1, 1)
	s.Hard(hlmrf.Equal, -1, []int32{0, 1}, 1, 1) // against a slope of 20
	in := s.Instance(t, 0.5)
	exact := solve(t, in, nil, Settings{Method: InteriorPoint{}})
	settings := within(subgradient.Subgradient{Penalty: 1e-3}, 1e-2)
	res := solve(t, in, nil, settings)
	// The slack of the linear hinge settles slowly, so the run may end at its
	// limit; point and gap must be good all the same.
	if res.MaxViolation > 1e-3 || res.TotalGap > 1e-2*(1+exact.PrimalValue) {
		t.Errorf("%v: gap %g, violation %g", res.Status, res.TotalGap, res.MaxViolation)
	}
	compare(t, in, res, settings, exact.PrimalValue, &exact.Solution)
}
