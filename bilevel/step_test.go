package bilevel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
)

// TestLabelsFollowSamples: each latent slot holds the labels of its sample, and
// labels are only set when the sample changes, or after Relabel.
func TestLabelsFollowSamples(t *testing.T) {
	calls := 0
	template := plainProgram(t, 1)
	o, err := NewObjective(Problem{
		Template: template, Samples: 4, Batch: 2,
		Label: func(sample int, in *lcqp.Instance) error { calls++; return labelled(sample, in) },
	}, Settings{Loss: LossEnergy})
	require.NoError(t, err)
	for _, load := range []struct {
		batch []int
		calls int
	}{{[]int{0, 1}, 2}, {[]int{0, 1}, 2}, {[]int{0, 3}, 3}, {[]int{3, 0}, 5}} {
		require.NoError(t, o.Load(load.batch))
		assert.Equalf(t, load.calls, calls, "batch %v", load.batch)
		for slot, sample := range load.batch {
			in := o.Latent().Instance(slot)
			if in.Lower[4] != float64(sample%2) || in.Upper[4] != in.Lower[4] || in.Lower[0] == in.Upper[0] {
				t.Errorf("batch %v, slot %d: bounds %v to %v", load.batch, slot, in.Lower, in.Upper)
			}
		}
	}
	o.Relabel()
	require.NoError(t, o.Load([]int{3, 0}))
	assert.Equal(t, 7, calls, "calls after the labels have changed")
	assert.Error(t, o.Load([]int{1}), "a short batch was accepted")
}
