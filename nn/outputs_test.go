package nn

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEntropy(t *testing.T) {
	assert.InDelta(t, 0.5, Entropy([]float64{0.5, 0.5, 1, 0}, 2), 1e-15)
	assert.True(t, math.IsNaN(Entropy([]float64{math.NaN(), 0.5, 0.5, 0.5}, 2)), "not a number is no belief")
}
