package infer

import (
	"math"
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

// 1 to 64 goroutines on overlapping blocks reach the same optimum.
func TestLockFreeWorkers(t *testing.T) {
	in := infertest.Grid(t, 5, 0.05)
	exact := mustSolve(t, in, nil, Settings{Method: InteriorPoint{}})
	for _, workers := range []int{1, 2, 8, 64} {
		s := within(LockFreeBCD{Workers: workers, RowsPerWorker: 1}, 1e-6)
		res := mustSolve(t, in, nil, s)
		if res.Status != Solved {
			t.Errorf("%d goroutines: %v, gap %g", workers, res.Status, res.TotalGap)
		}
		judge(t, in, res, s)
		if d := math.Abs(res.PrimalValue - exact.PrimalValue); d > 1e-6*(1+exact.PrimalValue) {
			t.Errorf("%d goroutines: value off by %v", workers, d)
		}
		for i, y := range res.Y {
			if d := math.Abs(y - exact.Y[i]); d > 5e-3 {
				t.Errorf("%d goroutines: target %d off by %v", workers, i, d)
			}
		}
	}
}
