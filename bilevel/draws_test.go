package bilevel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn is a value function of two samples with three draws each, whose slots
// have the given values.
func drawn(temperature float64, values []float64) *ValueFunction {
	return &ValueFunction{
		samples: 2, opt: Options{Draws: 3, DrawTemperature: temperature},
		values: make([]float64, 2), slotValues: values, share: make([]float64, 6),
	}
}

// TestCombine compares the values of samples with their formula, and the shares
// with differences, for the mean and for soft minima.
func TestCombine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 6)
	for i := range v {
		v[i] = rng.Float64()
	}
	for _, temperature := range []float64{0, 0.03, 0.5} {
		f := drawn(temperature, v)
		f.combine()
		for i, got := range f.values {
			mean, exp := 0.0, 0.0
			for slot := i; slot < 6; slot += 2 {
				mean += v[slot] / 3
				exp += math.Exp(-v[slot]/temperature) / 3
			}
			want := mean
			if temperature > 0 {
				want = -temperature * math.Log(exp)
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("T = %v, sample %d: %v, want %v", temperature, i, got, want)
			}
		}
		shares := append([]float64(nil), f.share...)
		const h = 1e-6
		for slot, share := range shares {
			keep := v[slot]
			v[slot] = keep + h
			f.combine()
			up := f.values[slot%2]
			v[slot] = keep - h
			f.combine()
			down := f.values[slot%2]
			v[slot] = keep
			if d := (up - down) / (2 * h); math.Abs(d-share) > 1e-8 {
				t.Errorf("T = %v, slot %d: share %v, differences %v", temperature, slot, share, d)
			}
		}
	}
}

// TestCombineLimits: hot it is the mean, cold the minimum, also where the
// exponentials vanish.
func TestCombineLimits(t *testing.T) {
	v := []float64{3, 1000, 1, 2000, 2, 3000}
	hot, cold := drawn(1e9, v), drawn(1e-3, v)
	hot.combine()
	cold.combine()
	if math.Abs(hot.values[0]-2) > 1e-5 || math.Abs(hot.values[1]-2000) > 1e-2 {
		t.Errorf("hot: %v, want the means 2 and 2000", hot.values)
	}
	if math.Abs(cold.values[0]-1) > 0.01 || math.Abs(cold.values[1]-1000) > 0.01 || cold.share[1] != 1 {
		t.Errorf("cold: %v with shares %v, want the minima 1 and 1000", cold.values, cold.share)
	}
}
