package bilevel

import "math"

// combine computes the value of each sample from the values of its slots, and keeps each
// slot's share: the derivative of the sample's value by the slot's value.
//
// Without a DrawTemperature that is the mean over the K draws, the Monte Carlo
// estimate of the expected value. With temperature T it is the soft minimum
//
//	−T log (1/K) Σ_k e^(−V_k/T),
//
// which is the mean for T → ∞ and the best draw for T → 0. Draws that agree with
// the labels then carry the gradient, however rare they are, as in a likelihood:
// it is T times the negative logarithm of an unbiased estimate of E[e^(−V/T)].
func (f *ValueFunction) combine() {
	k := float64(f.opt.Draws)
	t := f.opt.DrawTemperature
	for i := range f.values {
		if t <= 0 || k == 1 {
			sum := 0.0
			for slot := i; slot < len(f.slotValues); slot += f.samples {
				sum += f.slotValues[slot]
				f.share[slot] = 1 / k
			}
			f.values[i] = sum / k
			continue
		}
		low := math.Inf(1)
		for slot := i; slot < len(f.slotValues); slot += f.samples {
			low = min(low, f.slotValues[slot])
		}
		sum := 0.0
		for slot := i; slot < len(f.slotValues); slot += f.samples {
			f.share[slot] = math.Exp((low - f.slotValues[slot]) / t)
			sum += f.share[slot]
		}
		for slot := i; slot < len(f.slotValues); slot += f.samples {
			f.share[slot] /= sum
		}
		f.values[i] = low - t*math.Log(sum/k)
	}
}
