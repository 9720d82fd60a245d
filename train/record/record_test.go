package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFigures: shares are in per cent; errors, thresholds and figures with a name of their own are
// as they are.
func TestFigures(t *testing.T) {
	assert.Equal(t, "accuracy 82.47%", Shown("", 0.82468))
	assert.Equal(t, "auroc 0.8781", Shown("auroc", 0.87812))
	assert.Equal(t, "without rules 82.47%", Further("without_rules", 0.82468))
	assert.Equal(t, "Same Discrete threshold 0.4288", Further("Same Discrete threshold", 0.42884))
	assert.Equal(t, "Rating Continuous mse 3.2100", Further("Rating Continuous mse", 3.21))
}
