package trained

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	"hinge/tasks/mnistadd"
)

// TestMean: of one seed it is the run of that seed; of more it has the seconds of all, and is
// read again without a context.
func TestMean(t *testing.T) {
	o := tables.Options{Dir: t.TempDir(), Version: "v"}
	cfg := mnistadd.SystemDefaults("neupsl", "mnist-add1", "energy", "best", 12)
	cfg.Training.Epochs, cfg.Training.Steps, cfg.Training.Batch, cfg.Neural.Views, cfg.Neural.Samples = 0, 2, 4, 0, 2
	mnistadd.OptionsOf(&cfg).Network = "lenet"
	_, one, err := Run(t.Context(), o, mnistadd.Task{}, cfg)
	require.NoError(t, err)
	mean, err := Mean(t.Context(), o, mnistadd.Task{}, cfg, 1)
	require.NoError(t, err)
	assert.Equal(t, one.TestAccuracy, mean.TestAccuracy)
	assert.Equal(t, one.TestParts, mean.TestParts)

	three, err := Mean(t.Context(), o, mnistadd.Task{}, cfg, 3)
	require.NoError(t, err)
	assert.Greater(t, three.WallS, mean.WallS)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := Mean(ended, o, mnistadd.Task{}, cfg, 3)
	require.NoError(t, err)
	assert.Equal(t, []float64{three.TestAccuracy, three.TestParts, three.MoreAccuracy, three.WallS}, []float64{again.TestAccuracy, again.TestParts, again.MoreAccuracy, again.WallS})
}
