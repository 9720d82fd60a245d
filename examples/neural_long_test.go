//go:build long

package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/modelfile"
)

// TestNeuralGraphLong: with every loss, network and rules together are better by ten
// points and more than either alone, as the README says. The settings are those of
// config.toml.
func TestNeuralGraphLong(t *testing.T) {
	folder := "neural-graph"
	settings := func(file string, label float64) func(*config.Config) {
		return func(c *config.Config) {
			require.NoError(t, c.LoadFile(filepath.Join(folder, "config.toml")))
			o := c.Options.(*modelfile.Options)
			o.Model, o.LabelWeight = filepath.Join(folder, file), label
		}
	}
	rules := solve(t, filepath.Join(folder, "rules-alone.json"), "auto").metric(t, "Club", "Categorical", "accuracy")
	alone := 0.0
	for _, label := range []float64{0, 1} {
		alone = max(alone, learnNetworks(t, filepath.Join(folder, "network-alone.json"), "energy", 200, settings("network-alone.json", label)).TestAccuracy)
	}
	for _, loss := range config.CommonLosses() {
		together := learnNetworks(t, filepath.Join(folder, "model.json"), loss, 200, settings("model.json", 0)).TestAccuracy
		t.Logf("%s: together %.4f, network alone %.4f, rules alone %.4f", loss, together, alone, rules)
		if together < max(alone, rules)+0.1 {
			t.Errorf("%s: together %.4f, network alone %.4f, rules alone %.4f", loss, together, alone, rules)
		}
	}
}
