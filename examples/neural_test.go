package examples_test

import (
	"context"
	"path/filepath"
	"testing"

	"hinge/train"
	"hinge/train/modelfile"
)

// learnNetworks trains a model file for some steps and returns the result.
func learnNetworks(t *testing.T, file, loss string, steps int, change func(*train.Config)) train.Result {
	t.Helper()
	c, err := modelfile.Task{}.Defaults(train.Config{Task: "model", Loss: loss})
	if err != nil {
		t.Fatal(err)
	}
	c.Options.(*modelfile.Options).Model = file
	c.Training.Epochs = steps
	if change != nil {
		change(&c)
	}
	m, err := modelfile.Open(c, "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestNetworks trains the examples with networks for a few steps: they are better
// already than what is asked here, in parentheses without learning.
func TestNetworks(t *testing.T) {
	for _, test := range []struct {
		example, loss, alone string
		steps                int
		together, network    float64
	}{
		{"neural-graph", "sp", "Survey Categorical accuracy", 20, 0.72, 0.55}, // 0.59, 0.25
		{"neural-mnist", "energy", "Read Categorical accuracy", 15, 0.6, 0.2}, // 0.45, 0.1
		{"neural-films", "energy", "Made Discrete accuracy", 15, 0.65, 0.75},  // 0.57, 0.5
	} {
		res := learnNetworks(t, filepath.Join(test.example, "model.json"), test.loss, test.steps, nil)
		t.Logf("%s: %.4f, network alone %.4f", test.example, res.TestAccuracy, res.More[test.alone])
		if res.TestAccuracy < test.together || res.More[test.alone] < test.network {
			t.Errorf("%s: %.4f, %s %.4f, want %.2f and %.2f", test.example, res.TestAccuracy, test.alone, res.More[test.alone], test.together, test.network)
		}
		if res.Unsolved > 0 {
			t.Errorf("%s: %d solves missed their gap", test.example, res.Unsolved)
		}
	}
}
