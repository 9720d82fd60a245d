package problem

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSmallEpsilon: beside a rule of weight w, which alone asks for 1, the value is (w + ε)/(w + 2ε); it has to be
// 1 in six digits.
func TestSmallEpsilon(t *testing.T) {
	for weight, want := range map[float64]float64{
		math.Inf(1): 1e-8, 100: 1e-8, 1: 1e-8, 0.1: 1e-8, 0.0999: 1e-9, 0.01: 1e-9, 0.003: 1e-10, 1e-6: 1e-13, 1e-7: 1e-14, 1e-30: 1e-14,
	} {
		got := smallEpsilon(weight)
		assert.InEpsilon(t, want, got, 1e-12, "weight %v", weight)
		if weight >= 1e-7 && !math.IsInf(weight, 1) {
			assert.Less(t, 1-(weight+got)/(weight+2*got), 5e-7, "weight %v", weight)
		}
	}
}
