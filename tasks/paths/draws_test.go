package paths

import (
	"testing"

	"hinge/train/config"
	"hinge/train/learning"
)

// TestDraws: with several draws of the outputs, labels and answers are set against each
// other draw by draw. What no path changes would be left over otherwise.
func TestDraws(t *testing.T) {
	m, _, _ := small(t, func(c *config.Config) { c.Neural.Samples, c.Neural.DrawTemperature = 4, 0.05 })
	w, err := m.Gradient(learning.Step{Temperature: 1}, []int{0, 1, 2})
	if err != nil || !(w.Loss > 0) {
		t.Errorf("labels cost %v more than the best answers, %v", w.Loss, err)
	}
}
