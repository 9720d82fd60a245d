package consensus_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/cluster/consensus"
	"hinge/optim/collective"
	"hinge/symbolic/lcqp/lcqptest"
)

// TestPartErrors: what does not fit on one rank is an error on all.
func TestPartErrors(t *testing.T) {
	parts, _, err := dealt(rand.New(rand.NewPCG(1, 1)), lcqptest.Random(rand.New(rand.NewPCG(1, 11)), lcqptest.Shape{Targets: 15, Rows: 25}).Instance, 2)
	require.NoError(t, err)
	good := *parts[1]
	swapped, twice, negative := slices.Clone(good.Targets), slices.Clone(good.Targets), slices.Clone(good.Targets)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	twice[1] = twice[0]
	negative[0] = -1
	prox := *good.Instance
	prox.Prox = slices.Clone(prox.Prox)
	prox.Prox[0] = 1
	for name, bad := range map[string]*consensus.Part{
		"none": nil, "empty": {}, "short": {Instance: good.Instance, Targets: good.Targets[1:]},
		"swapped": {Instance: good.Instance, Targets: swapped}, "twice": {Instance: good.Instance, Targets: twice},
		"negative": {Instance: good.Instance, Targets: negative}, "proximal": {Instance: &prox, Targets: good.Targets},
	} {
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for r, c := range collective.Local(2) {
			part := []*consensus.Part{parts[0], bad}[r]
			wg.Go(func() { errs[r] = consensus.Solve(c, part, consensus.Settings{}, new(consensus.Result)) })
		}
		wg.Wait()
		if errs[1] == nil || !errors.As(errs[0], new(*collective.RankError)) {
			t.Errorf("%s: %v and %v", name, errs[0], errs[1])
		}
	}
}
