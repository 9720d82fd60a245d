package bilevel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSupervisedTerms: value and slope of both terms, and the tangent of the
// cross entropy near the ends.
func TestSupervisedTerms(t *testing.T) {
	for name, d := range map[string]func(y, t float64, dy *float64) float64{"mse": squaredError, "bce": crossEntropy} {
		for _, label := range []float64{0, 0.3, 1} {
			for _, y := range []float64{0, 1e-5, 1e-4, 0.2, 0.5, 0.9, 0.99995, 1} {
				const h = 1e-7
				var dy, ignored float64
				v := d(y, label, &dy)
				slope := (d(y+h, label, &ignored) - d(y-h, label, &ignored)) / (2 * h)
				if math.Abs(slope-dy) > 1e-3*(1+math.Abs(dy)) {
					t.Errorf("%s(%v, %v): slope %v, difference %v", name, y, label, dy, slope)
				}
				if math.IsInf(v, 0) || math.IsNaN(v) {
					t.Errorf("%s(%v, %v) = %v", name, y, label, v)
				}
			}
		}
	}
	var dy float64
	if v := crossEntropy(0.5, 1, &dy); math.Abs(v-math.Ln2) > 1e-15 || dy != -2 {
		t.Errorf("cross entropy of 0.5 for the label 1 is %v with slope %v", v, dy)
	}
	assert.Equal(t, 0.5625, squaredError(0.25, 1, new(float64)), "squared")
}
