package cluster

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	app "hinge/app/infer"
	"hinge/optim/collective"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// What two ranks find together is what one finds alone, and all of it is handed on.
func TestJoint(t *testing.T) {
	rules, err := psl.Parse("smoke.psl", []byte("2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2\n1: Starts(A) -> Smokes(A) ^2\n0.1: !Smokes(A) ^2"))
	require.NoError(t, err)
	b := ground.NewBuilder()
	people := []string{"ann", "bob", "cleo", "dan"}
	b.Observe("Starts", "ann")
	for i, p := range people {
		b.Target("Smokes", p)
		if i > 0 {
			b.Observe("Friends", people[i-1], p)
		}
	}
	part := func(ranks, rank int) (*lcqp.Instance, []int32) {
		p, err := ground.SplitGraph(b.DB, ranks).Ground(context.Background(), rules, b.DB, ground.Options{}, rank)
		require.NoError(t, err)
		in, err := lcqp.NewInstance(p.Program, 1e-3)
		require.NoError(t, err)
		return in, p.Targets
	}
	whole, _ := part(1, 0)
	var alone infer.Result
	require.NoError(t, infer.Solve(whole, nil, infer.Settings{GapAbsolute: 1e-7}, &alone))

	var answers [2]app.JointResult
	var errs [2]error
	var wg sync.WaitGroup
	for rank, c := range collective.Local(2) {
		in, targets := part(2, rank)
		wg.Go(func() {
			answers[rank], errs[rank] = Joint(c, in, targets, infer.Settings{GapAbsolute: 1e-6}, func(int, lcqp.Residual) {})
		})
	}
	wg.Wait()
	for rank, r := range answers {
		require.NoError(t, errs[rank])
		require.Equal(t, infer.Solved, r.Status)
		require.InDelta(t, alone.Energy, r.Energy, 1e-3)
		require.Equal(t, whole.Rows(), r.Rows)
		require.Equal(t, []int{0, 1, 1}, []int{r.Constraints, r.Components, r.Shared})
		require.NotEmpty(t, r.Own)
		require.NotEmpty(t, r.Solution.Y)
		require.LessOrEqual(t, r.Residual.Max(), 1e-5)
		require.Positive(t, r.SharedRows)
		require.Positive(t, r.Runtime)
	}
}
