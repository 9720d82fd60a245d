// Package peak measures what the processor can do at best, so that benchmarks of
// package kernel can report the fraction of it they reach.
package peak

import "time"

// GFlops runs independent multiply-adds in registers for about d on the calling
// thread and returns the best rate seen over short slices, in 10⁹ floating-point
// operations a second of float32. It returns 0 where it has no such loop.
func GFlops(d time.Duration) float64 {
	var best float64
	for start := time.Now(); time.Since(start) < d; {
		const rounds = 20000
		t := time.Now()
		flops := run(rounds)
		if flops == 0 {
			return 0
		}
		best = max(best, float64(flops)/float64(time.Since(t).Nanoseconds()))
	}
	return best
}
