package infer

import (
	"math"
	"slices"
	"sync"
	"testing"

	"hinge/symbolic/lcqp/lcqptest"
)

func TestLockFreeRandom(t *testing.T) {
	testFirstOrder(t, LockFreeBCD{Workers: 3, RowsPerWorker: 1}, 50, 1e-4, 1500, 0.5)
}

// One goroutine makes the steps of PaperBCD, bit for bit.
func TestLockFreeAloneIsPaperBCD(t *testing.T) {
	for seed := range uint64(40) {
		in := random(seed).Instance
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
	in := grid(t, 5, 0.05)
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

// Whatever the goroutines do to each other: after each sweep m = Aᵀμ + c, and
// every multiplier is in its domain.
func TestLockFreeKeepsM(t *testing.T) {
	p := rawProblem(additions(t, lcqptest.Add1, 1, 3, false)[0])
	x := LockFreeBCD{Workers: 16, RowsPerWorker: 1}.NewSolver().(*lockFreeBCD)
	x.Init(p)
	pull := make([]float64, p.Targets)
	for sweep := range 150 {
		x.Iterate(p)
		p.pull(x.mu, pull)
		for i, v := range pull {
			alpha, beta := x.alpha[i].load(), x.beta[i].load()
			if alpha < 0 || beta < 0 {
				t.Fatalf("sweep %d: bound multipliers %v and %v", sweep, alpha, beta)
			}
			if d := math.Abs(x.m[i].load() - (v + beta - alpha)); d > 1e-10 {
				t.Fatalf("sweep %d: m[%d] is off by %v", sweep, i, d)
			}
		}
		for k, sigma := range x.sigma {
			if sigma < 0 || p.Kind[k] != 1 && x.mu[k] < 0 {
				t.Fatalf("sweep %d: row %d has μ %v, σ %v", sweep, k, x.mu[k], sigma)
			}
		}
	}
	if p.Stats.BlockUpdates != 150*p.Rows {
		t.Errorf("%d block updates in 150 sweeps of %d blocks", p.Stats.BlockUpdates, p.Rows)
	}
}

func TestAtomicFloat(t *testing.T) {
	var sum, multiplier atomicFloat
	multiplier.store(1000)
	reduced := make([]float64, 8)
	var wg sync.WaitGroup
	for g := range reduced {
		wg.Go(func() {
			for range 1000 {
				sum.add(0.5)
				reduced[g] += multiplier.reduce(0.25, 1)
			}
		})
	}
	wg.Wait()
	if v := sum.load(); v != 4000 {
		t.Errorf("sum %v, want 4000", v)
	}
	total := 0.0
	for _, v := range reduced {
		total += v
	}
	if v := multiplier.load(); v != 0 || total != -1000 {
		t.Errorf("multiplier %v after %v, want 0 after −1000", v, total)
	}
}
