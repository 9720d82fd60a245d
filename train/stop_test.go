package train

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/train/config"
)

// Sixteen validations of a converged run have one figure up to rounding, which creeps up: no
// validation after the first is an improvement. One right answer more of ten thousand is one.
func TestRoundingIsNoImprovement(t *testing.T) {
	var (
		e  earlyStop
		at = &config.Training{Patience: 10, ValidEvery: 1}
	)
	for step := range 16 {
		figure := .5 + float64(step)*1e-9
		assert.True(t, e.update(step, &figure, nil, new(config.Training)), "equal: the later is kept")
		assert.Equal(t, step > 10, e.outOfPatience(step, at, true), "step %d", step)
	}
	figure := .5 - 1e-4
	assert.False(t, e.update(16, &figure, nil, new(config.Training)))
	figure = .5 + 1e-4
	assert.True(t, e.update(17, &figure, nil, new(config.Training)))
	assert.False(t, e.outOfPatience(17, at, true))
	// A figure that creeps down is a tie only with the largest: the kept weights are no worse.
	for step := 18; step < 30; step++ {
		figure -= 4e-7
		assert.Equal(t, step < 20, e.update(step, &figure, nil, new(config.Training)), "step %d", step)
	}
}
