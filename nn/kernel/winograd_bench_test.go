package kernel

import (
	"math"
	"testing"
	"time"
)

// BenchmarkWinograd compares the fast way with the plain sum, one after the other
// in turn, on the layers of ResNet18 that have both. The ratio is that of the
// fastest runs: how many times faster the fast way is.
func BenchmarkWinograd(b *testing.B) {
	for _, n := range []int{60, 64, 240} {
		for _, l := range resnetLayers {
			s := l.s
			s.N = n
			if !s.gainsByWinograd() {
				continue
			}
			rng := newRand(2)
			x, w, y, dw := big(rng, s.InLen()), big(rng, s.WeightLen()), big(rng, s.OutLen()), big(rng, s.WeightLen())
			ways := [2]*Conv[float32]{newConv[float32](s, nil), newConv(s, newWinograd[float32](s))}
			for _, op := range []struct {
				name string
				run  func(c *Conv[float32])
			}{
				{"forward", func(c *Conv[float32]) { c.Forward(x, w, y) }},
				{"input", func(c *Conv[float32]) { c.BackwardInput(y, w, x) }},
				{"weight", func(c *Conv[float32]) { c.BackwardWeight(x, y, dw) }},
			} {
				b.Run(label("n%d/%s/%s", n, l.name, op.name), func(b *testing.B) {
					best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
					op.run(ways[0])
					op.run(ways[1])
					for b.Loop() {
						for i, c := range ways {
							start := time.Now()
							op.run(c)
							best[i] = min(best[i], time.Since(start))
						}
					}
					b.ReportMetric(float64(best[0].Nanoseconds())/1e3, "direct-µs")
					b.ReportMetric(float64(best[1].Nanoseconds())/1e3, "fast-µs")
					b.ReportMetric(float64(best[0])/float64(best[1]), "ratio")
				})
			}
		}
	}
}
