package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/tasks/citation"
	"hinge/tasks/mnistadd"
	"hinge/tasks/paths"
	"hinge/tasks/sudoku"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// TestZerosStay: a setting that is 0, false or empty where its task's default is not stays so in a file
// that is read over the defaults. So the file of a run trains the same run again.
func TestZerosStay(t *testing.T) {
	told := 0
	for _, task := range []learning.Task{mnistadd.Task{}, citation.Task{}, sudoku.Task{}, paths.Task{}, modelfile.Task{}} {
		for _, name := range task.Names() {
			for _, recipe := range []string{"best", "paper"} {
				for _, loss := range []string{"energy", "sp", "mse", "bce", "k-best", "answer", "chain"} {
					fresh := func() config.Config {
						c, _ := task.Defaults(config.Config{Task: name, Recipe: recipe, Loss: loss, System: "neupsl"})
						return c
					}
					changed, again := fresh(), fresh()
					for _, s := range changed.Settings() {
						if !s.Value.IsZero() && s.Key != "task" {
							s.Value.SetZero()
							told++
						}
					}
					text, err := changed.Encode()
					require.NoError(t, err)
					require.NoError(t, again.Decode("file", text))
					require.Empty(t, changed.Diff(&again), "%s, %s, %s", name, recipe, loss)
				}
			}
		}
	}
	require.Greater(t, told, 1000)
}
