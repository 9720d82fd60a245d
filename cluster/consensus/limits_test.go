package consensus

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// TestLimited: a rank's own solve has the time that is left of the limit, and at least a
// millisecond.
func TestLimited(t *testing.T) {
	st := &state{local: infer.Settings{MaxTime: time.Minute}}
	require.Equal(t, time.Minute, st.limited().MaxTime)
	st.deadline.At = time.Now().Add(time.Hour)
	if d := st.limited().MaxTime; d > time.Hour || d < 30*time.Minute {
		t.Errorf("%v of an hour are left", d)
	}
	st.deadline.At = time.Now().Add(-time.Hour)
	require.Equal(t, time.Millisecond, st.limited().MaxTime)
}

// TestExactness: own solves are a hundred times as exact as the point, at most four times as
// exact as the whole, and never looser than 2,500 times the tolerances.
func TestExactness(t *testing.T) {
	st := &state{c: collective.Local(1)[0], goal: tolerance{gap: 1e-8, absolute: 1e-7, violation: 1e-9, stationarity: 1e-7}}
	for excess, times := range map[float64]float64{0: 0.25, 1000: 2.5, 1e9: 2500, math.Inf(1): 2500} {
		st.exactness(excess)
		require.InEpsilon(t, times*1e-8, st.local.GapTolerance, 1e-12)
		require.InEpsilon(t, times*1e-7, st.local.GapAbsolute, 1e-12)
		require.InEpsilon(t, times*1e-7, st.local.StationarityTolerance, 1e-12)
		require.InEpsilon(t, 1e-9/4, st.local.FeasibilityTolerance, 1e-12)
	}
}

// TestExcess: each residual counts, by its own tolerance, and NaN is worse than any.
func TestExcess(t *testing.T) {
	st := &state{in: &lcqp.Instance{}}
	goal := tolerance{gap: 1e-8, offset: 1, absolute: 1e-8, violation: 1e-9, stationarity: 1e-7}
	for name, r := range map[string]lcqp.Residual{
		"primal": {Primal: 5e-9}, "dual sign": {DualSign: 5e-9}, "stationarity": {Stationarity: 5e-7}, "complementarity": {Complementarity: 5e-7}, "gap": {Gap: 5e-8},
	} {
		if got := st.excess(&r, &goal); math.Abs(got-5) > 1e-9 {
			t.Errorf("%s: %v times the tolerance, want 5", name, got)
		}
	}
	if got := st.excess(&lcqp.Residual{DualSign: math.NaN()}, &goal); !math.IsInf(got, 1) {
		t.Errorf("NaN is %v times the tolerance", got)
	}
}
