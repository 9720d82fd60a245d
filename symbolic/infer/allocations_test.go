//go:build !race

// The race detector makes pools forget at random, and so solves allocate under it.

package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp/lcqptest"
)

// A solve in steady state allocates no more than a few words.
func TestSolveAllocates(t *testing.T) {
	in := infertest.Additions(t, lcqptest.Add1, 1, 3, false)[0]
	var used Result
	require.NoError(t, Solve(in, nil, Settings{}, &used))
	if n := testing.AllocsPerRun(50, func() { Solve(in, nil, Settings{Workers: 1}, &used) }); n > 4 {
		t.Errorf("%v allocations a solve", n)
	}
}
