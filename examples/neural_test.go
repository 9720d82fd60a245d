package examples_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// learnNetworks trains a model file for some steps and returns the result.
func learnNetworks(t *testing.T, file, loss string, steps int, change func(*config.Config)) record.Result {
	t.Helper()
	c, err := modelfile.Task{}.Defaults(config.Config{Task: "model", Loss: loss})
	require.NoError(t, err)
	c.Options.(*modelfile.Options).Model = file
	c.Training.Epochs = steps
	change(&c)
	m, err := (modelfile.Task{}).Open(c, "")
	require.NoError(t, err)
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	return res
}

// TestNetworks trains the examples with networks for a few steps: they are better
// already than what is asked here, in parentheses without learning.
func TestNetworks(t *testing.T) {
	for _, test := range []struct {
		example, loss, alone string
		steps, labels        int
		together, network    float64
	}{
		{"neural-graph", "sp", "Survey Categorical accuracy", 20, 0, 0.72, 0.55},   // 0.61, 0.25
		{"neural-mnist", "energy", "Read Categorical accuracy", 15, 30, 0.7, 0.35}, // 0.56, 0.1
		{"neural-films", "energy", "Made Discrete accuracy", 15, 0, 0.65, 0.7},     // 0.63, 0.5
	} {
		res := learnNetworks(t, filepath.Join(test.example, "model.json"), test.loss, test.steps, func(c *config.Config) {
			c.Options.(*modelfile.Options).LabelEpochs = test.labels
		})
		t.Logf("%s: %.4f, network alone %.4f", test.example, res.TestAccuracy, res.More[test.alone])
		if res.TestAccuracy < test.together || res.More[test.alone] < test.network {
			t.Errorf("%s: %.4f, %s %.4f, want %.2f and %.2f", test.example, res.TestAccuracy, test.alone, res.More[test.alone], test.together, test.network)
		}
		if res.Unsolved > 0 {
			t.Errorf("%s: %d solves missed their gap", test.example, res.Unsolved)
		}
	}
}
