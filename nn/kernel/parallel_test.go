package kernel

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParallelCoversEachIndexOnce(t *testing.T) {
	threads(func(p int) {
		for _, n := range []int{0, 1, 2, 5, 64, 1000} {
			for _, grain := range []int{0, 1, 3, 64, 5000} {
				seen := make([]atomic.Int32, n)
				Parallel(n, grain, func(lo, hi int) {
					if lo%max(grain, 1) != 0 || lo >= hi || hi > n {
						t.Errorf("range [%d, %d) of %d, grain %d", lo, hi, n, grain)
					}
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
				})
				for i := range seen {
					if got := seen[i].Load(); got != 1 {
						t.Fatalf("%d threads, n %d, grain %d: index %d visited %d times", p, n, grain, i, got)
					}
				}
			}
		}
	})
}

// Kernels may run inside each other's parallel sections.
func TestParallelNests(t *testing.T) {
	var total atomic.Int64
	threads(func(int) {
		total.Store(0)
		Parallel(10, 1, func(lo, hi int) {
			Parallel(10, 1, func(a, b int) { total.Add(int64((hi - lo) * (b - a))) })
		})
		if total.Load() != 100 {
			t.Fatalf("%d visits, want 100", total.Load())
		}
	})
}

func TestParallelDoesNotAllocate(t *testing.T) {
	var total atomic.Int64
	body := func(lo, hi int) { total.Add(int64(hi - lo)) }
	threads(func(p int) {
		Parallel(100, 1, body)
		if n := testing.AllocsPerRun(20, func() { Parallel(100, 1, body) }); n > 0.5 {
			t.Errorf("%d threads: %v allocations", p, n)
		}
	})
}

// Alone, a range is one piece on the caller's goroutine.
func TestAlone(t *testing.T) {
	Alone(true)
	defer Alone(false)
	threads(func(p int) {
		pieces := 0 // without a lock
		parallelSeats(1000, 1, func(seat, lo, hi int) {
			pieces++
			if seat != 0 || lo != 0 || hi != 1000 {
				t.Errorf("%d threads: seat %d has [%d, %d)", p, seat, lo, hi)
			}
		})
		assert.Equalf(t, 1, pieces, "%d threads", p)
	})
}
