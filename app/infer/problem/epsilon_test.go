package problem

import (
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLeastWeights: what rounding left of a weight is no weight to choose ε by.
func TestLeastWeights(t *testing.T) {
	in := &Input{Model: &model.Model{Rules: &psl.Program{Rules: []*psl.Rule{{Weight: 20}, {Weight: 4e-5}, {Weight: 3e-17}, {Weight: 0}, {Hard: true}}}}}
	in.Options.Normalize = true
	least, ofAll := in.leastWeights()
	assert.InEpsilon(t, 2e-6, least, 1e-12)
	assert.InEpsilon(t, 1.5e-18, ofAll, 1e-12)
}

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
