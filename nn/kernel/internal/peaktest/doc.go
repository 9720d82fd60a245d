// Package peaktest measures what the processor can do at best, so that benchmarks of
// package kernel can report the fraction of it they reach.
package peaktest

import (
	"sync"
	"time"
)

// GFlops runs independent multiply-adds in registers for about d on the given
// number of threads at once and returns the sum of the best rates that each has
// seen over short slices, in 10⁹ floating-point operations a second of float32.
// Several threads may reach less than their number times the rate of one: they
// share the clock's headroom, and perhaps a core. It returns 0 where it has no such
// loop.
func GFlops(threads int, d time.Duration) float64 {
	if run(1) == 0 {
		return 0
	}
	best := make([]float64, threads)
	var all sync.WaitGroup
	for i := range best {
		all.Go(func() { best[i] = rate(d) })
	}
	all.Wait()
	var sum float64
	for _, r := range best {
		sum += r
	}
	return sum
}

// rate is the best rate of one thread.
func rate(d time.Duration) (best float64) {
	for start := time.Now(); time.Since(start) < d; {
		const rounds = 20000
		t := time.Now()
		flops := run(rounds)
		best = max(best, float64(flops)/float64(time.Since(t).Nanoseconds()))
	}
	return best
}
