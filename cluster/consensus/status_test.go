package consensus_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/cluster/consensus"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// TestStatusIsEarned ends random programs after few iterations, so that points are met that
// are off by little and by much. What the ranks claim of each is what one machine finds, and
// the status is what the stop rule says of that.
func TestStatusIsEarned(t *testing.T) {
	tight := [3]float64{1e-8, 1e-9, 1e-7} // relative gap, violation, stationarity: the defaults
	loose := [3]float64{1e-2, 1e-2, 1e-2}
	met, nearly := 0, 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 12))
		in := lcqptest.Random(rng, lcqptest.Shape{Targets: 12, Rows: 20}).Instance
		in.ClearProx()
		parts, rows, err := dealt(rng, in, 2)
		require.NoError(t, err)
		for _, goal := range [][3]float64{tight, loose} {
			s := consensus.Settings{WholeOnly: true, Small: -1, Infer: infer.Settings{
				GapTolerance: goal[0], FeasibilityTolerance: goal[1], StationarityTolerance: goal[2]}}
			for s.MaxIterations = 1; s.MaxIterations < 60; s.MaxIterations += 1 + s.MaxIterations/4 {
				name := fmt.Sprintf("seed %d, %d iterations, tolerances %v", seed, s.MaxIterations, goal)
				results := ends(t, parts, s)
				r := &results[0]
				judged, _ := assembled(in, parts, rows, results)
				sameResidual(t, name, r.Residual, judged)
				off, want := excess(in, &judged, goal, in.Epsilon), infer.IterationLimit
				if excess(in, &judged, [3]float64{1e-6, 1e-6, 1e-6}, 1) <= 1 {
					want = infer.AlmostSolved
				}
				if off <= 1 {
					want = infer.Solved
				}
				if r.Status != want {
					t.Errorf("%s: %v, want %v: %.3g times the tolerance", name, r.Status, want, off)
				}
				if off <= 1 {
					met++
					break
				}
				if off < 20 {
					nearly++
				}
			}
		}
	}
	t.Logf("%d points met the tolerance, %d missed it by a factor of 1 to 20", met, nearly)
	if met < 20 || nearly < 20 {
		t.Error("too few of them to say much")
	}
}

// excess is how many times the tolerances a residual is, as the documentation of
// infer.Settings has them.
func excess(in *lcqp.Instance, r *lcqp.Residual, goal [3]float64, offset float64) float64 {
	scale := 1.0
	for _, w := range in.Weights {
		scale = max(scale, w)
	}
	return max(r.Gap/(goal[0]*(offset+math.Abs(r.DualValue))), r.Primal/goal[1], r.DualSign/goal[1],
		r.Stationarity/scale/goal[2], r.Complementarity/scale/goal[2])
}
