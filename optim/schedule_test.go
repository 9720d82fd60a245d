package optim

import (
	"math"
	"testing"
)

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		name string
		s    interface{ At(t int) float64 }
		want map[int]float64
	}{
		{"constant", Cosine{Base: 3, Final: 3, Total: 10}, map[int]float64{0: 3, 7: 3, 1000: 3}},
		{"step decay", StepDecay{Base: 1, Gamma: 0.5, Every: 30, Start: 10},
			map[int]float64{0: 1, 39: 1, 40: 0.5, 69: 0.5, 70: 0.25}},
		{"step decay, never", StepDecay{Base: 2, Gamma: 0.5}, map[int]float64{0: 2, 500: 2}},
		{"step decay, gamma 1", StepDecay{Base: 2, Gamma: 1, Every: 30}, map[int]float64{0: 2, 500: 2}},
		{"cosine", Cosine{Base: 4, Warmup: 4, Total: 12},
			map[int]float64{0: 1, 1: 2, 3: 4, 4: 4, 8: 2, 12: 0, 99: 0}},
		{"cosine to a floor", Cosine{Base: 3, Final: 1, Total: 10}, map[int]float64{0: 3, 5: 2, 10: 1, 11: 1}},
		{"cosine, all warm-up", Cosine{Base: 2, Warmup: 2, Total: 2}, map[int]float64{0: 1, 1: 2, 2: 0}},
		{"temperature", ExpDecay{Base: 1, Min: 0.5, Rate: 1e-3},
			map[int]float64{0: 1, 60: math.Exp(-0.06), 693: math.Exp(-0.693), 694: 0.5, 5000: 0.5}},
	} {
		for at, want := range c.want {
			if got := c.s.At(at); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s at %d is %v, want %v", c.name, at, got, want)
			}
		}
	}
}
