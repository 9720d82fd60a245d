package nn

import "math"

// Entropy returns the mean entropy of the outputs of rows of a width, divided by the entropy
// of uniform outputs; NaN where an output is.
func Entropy[T float32 | float64](g []T, width int) float64 {
	total := 0.0
	for _, p := range g {
		if p != 0 {
			total -= float64(p) * math.Log(float64(p))
		}
	}
	return total / (math.Log(float64(max(2, width))) * float64(len(g)/width))
}

// Argmax returns the index of the largest value, the smallest such index.
func Argmax[T float32 | float64](x []T) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// Widen converts a network's outputs to double precision.
func Widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
