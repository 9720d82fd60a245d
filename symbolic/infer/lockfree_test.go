package infer

import (
	"slices"
	"testing"

	"hinge/symbolic/infer/baselines/paper"
	"hinge/symbolic/infer/internal/infertest"
)

func TestLockFreeRandom(t *testing.T) {
	testFirstOrder(t, paper.LockFreeBCD{Workers: 3, RowsPerWorker: 1}, 50, 1e-4, 1500, 0.5)
}

// One goroutine makes the steps of PaperBCD, bit for bit.
func TestLockFreeAloneIsPaperBCD(t *testing.T) {
	for seed := range uint64(40) {
		in := infertest.Known(seed).Instance
		s := Settings{Method: paper.PaperBCD{Seed: seed}, MaxIterations: 150}
		want := solve(t, in, nil, s)
		s.Method = paper.LockFreeBCD{Seed: seed, Workers: 1}
		alone := solve(t, in, nil, s)
		if !slices.Equal(want.Y, alone.Y) || !slices.Equal(want.Dual, alone.Dual) {
			t.Fatalf("seed %d: results differ", seed)
		}
	}
}
