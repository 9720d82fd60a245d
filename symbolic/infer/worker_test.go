package infer

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp"
)

// TestWorkerForgets: what a worker solved before, small and warm, does not change the bits of
// the next solution. A warm start bounds the work of its factors.
func TestWorkerForgets(t *testing.T) {
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6, Workers: 1}
	small, m := infertest.FamilyModel(t, "grid", 10)
	var warm Warm
	solve(t, small, nil, s).SaveWarm(&warm)
	require.NoError(t, small.SetDeep(m.Moved(rand.New(rand.NewPCG(1, 1)), 0.05)))
	for _, name := range []string{"grid", "picture", "knn-regression", "knn-labels"} {
		in := infertest.Family(t, name, 2000)
		var first, second, used Result
		runtime.GC() // the second one drops the workers that are kept
		runtime.GC()
		require.NoError(t, Solve(in, nil, s, &first))
		require.NoError(t, SolveAll([]*lcqp.Instance{small, in}, []*Warm{&warm, nil}, s, []*Result{&used, &second}))
		require.Equal(t, first.Dual, second.Dual, name)
		require.Equal(t, first.Y, second.Y, name)
		require.Equal(t, first.Stats.Factorizations, second.Stats.Factorizations, name)
	}
}

// What a warm start may spend on a factor bounds nothing that comes after it.
func TestBoundOfAWarmStartEnds(t *testing.T) {
	problemtest.Each(t, 20, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := newAuto(ByCost)
		x.TrackActiveSet(p)
		require.Zero(t, x.Limits, seed)
	})
}
