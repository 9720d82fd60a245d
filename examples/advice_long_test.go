//go:build long

package examples_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// notes collects what a run tells.
type notes struct{ list []string }

func (n *notes) Start(train.Plan)                     {}
func (n *notes) Step(int, record.Metric)              {}
func (n *notes) Valid(int, record.Metric, train.Fate) {}
func (n *notes) Note(text string)                     { n.list = append(n.list, text) }
func (n *notes) Done()                                {}

// TestAdviceLong: MNIST-Half without draws stands still with high entropy and is told what to
// try. The same run with these settings, read from what was told, learns the sums.
func TestAdviceLong(t *testing.T) {
	run := func(set ...string) (float64, []string) {
		c, err := modelfile.Task{}.Defaults(config.Config{Task: "model", Loss: "energy"})
		require.NoError(t, err)
		c.Options.(*modelfile.Options).Model = filepath.Join("mnist-half", "model.json")
		c.Training.Batch, c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience = 20, 3, 49, 0
		c.Training.NoTest, c.Training.LastWeights, c.Symbolic.FreezeRules = true, true, true
		c.Neural.LearningRate, c.Neural.ClipNorm = 0.002, 3
		for _, s := range set {
			key, value, _ := strings.Cut(s, "=")
			number, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			if number == float64(int(number)) {
				require.NoError(t, c.Set(key, int(number)))
			} else {
				require.NoError(t, c.Set(key, number))
			}
		}
		m, err := (modelfile.Task{}).Open(c, "")
		require.NoError(t, err)
		var told notes
		res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir(), Observer: &told})
		require.NoError(t, err)
		return res.ValidAccuracy, told.list
	}
	before, told := run()
	var advised []string
	for _, text := range told {
		if !strings.Contains(text, "the accuracy stands still") {
			continue
		}
		for words := strings.Fields(text); len(words) > 1; words = words[1:] {
			if words[0] == "-set" {
				advised = append(advised, strings.TrimRight(words[1], ",;"))
			}
		}
	}
	require.NotEmpty(t, advised, "%q", told)
	after, _ := run(advised...)
	t.Logf("%.3f of the sums, with %v %.3f", before, advised, after)
	require.Greater(t, after, before+0.2)
}
