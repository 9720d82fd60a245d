package train

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// TestOpen: a run's model comes with its tested weights, under the settings that differ
// as they are told; mistakes are errors of use.
func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	tasks := []learning.Task{toy{"a"}, toy{"b"}}
	require.Equal(t, exit.OK, run(tasks, []string{"-task", "a", "-out", dir, "-quiet"}), "exit code")
	cfg, model, err := Open(tasks, dir, "", "neural.test-temperature=2", "options.loud=true")
	require.NoError(t, err)
	if cfg.Task != "a" || cfg.Neural.TestTemperature != 2 || !cfg.Options.(*own).Loud || cfg.Training.Steps != 6 {
		t.Errorf("%+v", cfg)
	}
	tested, err := train.OpenTested(dir, nil)
	require.NoError(t, err)
	assert.Equal(t, tested.Weights, model.Loss().Weights(), "weights")
	var u *config.UsageError
	for _, set := range []string{"loud", "options.lout=true", "neural.dropout=2"} {
		if _, _, err := Open(tasks, dir, "", set); !errors.As(err, &u) {
			t.Errorf("%s: %v", set, err)
		}
	}
	if _, _, err := Open(tasks, t.TempDir(), ""); !errors.As(err, &u) || u.Key != "out" {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestOpenOnRanks: a task whose batches ranks cannot share says so, with any batch.
func TestOpenOnRanks(t *testing.T) {
	file := filepath.Join("..", "..", "examples", "neural-graph", "model.json")
	for _, batch := range []string{"1", "16"} {
		o, err := parse([]learning.Task{modelfile.Task{}}, []string{"-model", file, "-loss", "sp", "-batch", batch, "-out", t.TempDir()}, io.Discard)
		require.NoError(t, err)
		_, err = open(o, 2)
		assert.EqualError(t, err, "the batches of model cannot be divided among ranks; start it without mpirun")
	}
}

// TestOpenInterrupted: a signal ends a run that still reads its data and rules, with the code of an interrupted one; the grounding
// of large rules went on to its end.
func TestOpenInterrupted(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	model, err := opened(ctx, func() (learning.Model, error) {
		end()
		<-never
		return nil, nil
	})
	require.Nil(t, model)
	require.EqualError(t, err, "interrupted while data and rules were read")
	require.ErrorIs(t, err, train.ErrInterrupted)
	require.Equal(t, exit.Interrupted, cli.ExitCode(err))
	_, err = opened(t.Context(), func() (learning.Model, error) { return nil, io.ErrUnexpectedEOF })
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
