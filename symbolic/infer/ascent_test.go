package infer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp/lcqptest"
)

// dualOf returns the dual value of the solver's point.
func dualOf(x Solver, p *Problem) float64 {
	x.Point(p)
	return p.Evaluate(make([]float64, p.Targets)).Dual
}

// fell reports whether the dual fell from before to after by more than rounding.
func fell(before, after float64) bool { return after < before-1e-12*(1+math.Abs(before)) }

// Neither sweeps nor Newton steps may lower the dual.
func TestIterationsAscend(t *testing.T) {
	problemtest.Each(t, 500, true, func(t *testing.T, seed uint64, p *Problem) {
		var x auto
		x.Init(p)
		last := dualOf(&x, p)
		for range 40 {
			inside := x.phase == interior
			progress := x.Iterate(p)
			now := dualOf(&x, p)
			if fell(last, now) && !inside && x.phase != interior {
				t.Fatalf("seed %d: the dual falls from %v to %v", seed, last, now)
			}
			last = now
			if progress == Settled {
				break
			}
		}
	})
}

// With extrapolation block ascent alone brings the additions of the paper at ε = 1e-3 to
// a relative 1e-4, gap and all, within 1,000 sweeps.
func TestSweepsOfAdditions(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(float64) *lcqptest.Addition
		n      int
		margin float64
		most   int // sweeps on average
	}{
		{"add1-soft", lcqptest.Add1, 200, 3, 10}, {"add1-sharp", lcqptest.Add1, 200, 12, 40},
		{"add2-soft", lcqptest.Add2, 40, 3, 10}, {"add2-sharp", lcqptest.Add2, 40, 12, 160},
	} {
		ins := infertest.Additions(t, c.make, c.n, c.margin, false)
		res := results(len(ins))
		require.NoError(t, SolveAll(ins, nil, within(DualBCD{}, 1e-4), res))
		soon, most, sum := 0, 0, 0
		for n, r := range res {
			judge(t, ins[n], r, within(DualBCD{}, 1e-4))
			if r.Status == Solved && r.Stats.Iterations <= 1000 {
				soon++
			}
			most = max(most, r.Stats.Iterations)
			sum += r.Stats.Iterations
		}
		t.Logf("%s: %d of %d within 1,000 sweeps, %d on average, %d at most", c.name, soon, c.n, sum/c.n, most)
		if soon < c.n || sum > c.most*c.n {
			t.Errorf("%s: %d of %d within 1,000 sweeps, %d on average", c.name, soon, c.n, sum/c.n)
		}
	}
}
