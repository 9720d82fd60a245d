package infer

import (
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

func TestLockFreeRandom(t *testing.T) {
	testFirstOrder(t, LockFreeBCD{Workers: 3, RowsPerWorker: 1}, 50, 1e-4, 1500, 0.5)
}

// One goroutine makes the steps of PaperBCD, bit for bit.
func TestLockFreeAloneIsPaperBCD(t *testing.T) {
	for seed := range uint64(40) {
		in := infertest.Known(seed).Instance
		s := Settings{Method: PaperBCD{Seed: seed}, MaxIterations: 150}
		paper := mustSolve(t, in, nil, s)
		s.Method = LockFreeBCD{Seed: seed, Workers: 1}
		alone := mustSolve(t, in, nil, s)
		if !slices.Equal(paper.Y, alone.Y) || !slices.Equal(paper.Dual, alone.Dual) {
			t.Fatalf("seed %d: results differ", seed)
		}
	}
}
