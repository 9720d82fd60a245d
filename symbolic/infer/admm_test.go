package infer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/baselines/admm"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func TestADMMRandom(t *testing.T) {
	testFirstOrder(t, admm.ADMM{}, 300, 1e-5, 5000, 0.95)
	testFirstOrder(t, admm.ADMM{Step: 1, Relaxation: 1}, 100, 1e-5, 5000, 0.85)
}

// With a stop rule of its own ADMM ends when that holds, near the optimum for tight
// tolerances, and says that it promises no gap.
func TestADMMOwnRule(t *testing.T) {
	in := chain(t, 30, 0.1)
	exact := solve(t, in, nil, Settings{Method: InteriorPoint{}})
	last := 0
	for _, tolerance := range []float64{1e-2, 1e-3, 1e-5} {
		m := admm.ADMM{Step: 1, Relaxation: 1, Absolute: tolerance / 10, Relative: tolerance}
		res := solve(t, in, nil, Settings{Method: m, GapTolerance: 1e-300, FeasibilityTolerance: 5e-3, CheckEvery: 1})
		if res.Status != OwnRule || res.Status.OK() || res.Stats.Iterations <= last {
			t.Errorf("tolerance %v: %v after %d iterations, before %d", tolerance, res.Status, res.Stats.Iterations, last)
		}
		last = res.Stats.Iterations
		for i, y := range res.Y {
			if math.Abs(y-exact.Y[i]) > 20*tolerance {
				t.Errorf("tolerance %v: target %d is %v, the optimum %v", tolerance, i, y, exact.Y[i])
			}
		}
	}
	if err := (admm.ADMM{Absolute: -1}).Validate(); err == nil {
		t.Error("a negative tolerance is accepted")
	}
}

// The adapted step must come near the better of two fixed ones on problems
// that want very different ones: 1 on the grid, 0.003 on additions, where a
// step of 1 takes several times as long.
func TestADMMAdapts(t *testing.T) {
	for name, ins := range map[string][]*lcqp.Instance{
		"grid": {infertest.Grid(t, 6, 0.01)}, "additions": infertest.Additions(t, lcqptest.Add1, 10, 3, false),
	} {
		iterations := func(step float64) (sum int) {
			for _, in := range ins {
				res := solve(t, in, nil, within(admm.ADMM{Step: step}, 1e-3))
				assert.Equalf(t, Solved, res.Status, "%s, step %v", name, step)
				sum += res.Stats.Iterations
			}
			return sum
		}
		adapted, small, large := iterations(0), iterations(0.003), iterations(1)
		t.Logf("%s: %d iterations adapted, %d with step 0.003, %d with step 1", name, adapted, small, large)
		if adapted > 4*min(small, large) || 2*adapted > max(small, large) {
			t.Errorf("%s: %d iterations adapted, %d and %d with fixed steps", name, adapted, small, large)
		}
	}
}
