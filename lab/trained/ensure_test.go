package trained

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
	"hinge/train/traintest"
)

// TestEnsure: an interrupted run goes on, with the result of an uninterrupted one;
// a finished one, which has no checkpoints any more, is only read; that of another
// configuration is not taken for it, finished or not.
func TestEnsure(t *testing.T) {
	c := traintest.Config("energy", 30)
	opened := 0
	open := func() (learning.Model, error) { opened++; return traintest.New(c) }
	m, err := traintest.New(c)
	require.NoError(t, err)
	whole := traintest.Run(t, c, m, train.Options{Dir: t.TempDir()})

	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = ensure(ctx, c, open, train.Options{Dir: dir, Observer: traintest.Observer{OnStep: func(step int) {
		if step == 12 {
			cancel()
		}
	}}}, false)
	require.ErrorIs(t, err, train.ErrInterrupted)
	changed := c
	changed.Neural.LearningRate /= 2
	refuses := func() {
		t.Helper()
		_, err := ensure(context.Background(), changed, func() (learning.Model, error) { return traintest.New(changed) }, train.Options{Dir: dir}, false)
		refused, ok := errors.AsType[*train.ConfigChangedError](err)
		if !ok || len(refused.Keys) != 1 || !strings.Contains(refused.Keys[0], "learning-rate") {
			t.Errorf("another configuration: got %v", err)
		}
	}
	refuses()
	assert.True(t, train.Begun(dir), "the interrupted run left no checkpoint")
	for range 2 {
		res, err := ensure(context.Background(), c, open, train.Options{Dir: dir}, false)
		require.NoError(t, err)
		if res.TestAccuracy != whole.TestAccuracy || res.Steps != whole.Steps {
			t.Errorf("got %+v, want %+v", res, whole)
		}
	}
	assert.Equal(t, 2, opened, "the model was made")

	left, err := filepath.Glob(filepath.Join(dir, "*step-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "checkpoints of a finished run")
	refuses()
	broken := errors.New("no data")
	_, err = ensure(context.Background(), c, func() (learning.Model, error) { return nil, broken }, train.Options{Dir: t.TempDir()}, false)
	assert.ErrorIs(t, err, broken)
}

// TestEarlierRunFolder: a run that an earlier version has ended, whose hash was of another
// kind, is read and not made again; one of other settings is refused with what differs.
func TestEarlierRunFolder(t *testing.T) {
	dir := t.TempDir()
	c := config.Defaults(config.Config{Task: "toy"})
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	text, err := c.Encode()
	require.NoError(t, err)
	write(record.ConfigFile, string(text))
	write(record.ResultFile, `{"task":"toy","valid_accuracy":0.5,"config_hash":"0123456789abcdef"}`)
	if res, ok, err := finished(dir, &c); !ok || err != nil || res.ValidAccuracy != 0.5 {
		t.Errorf("%+v, %v, %v", res, ok, err)
	}
	c.Neural.LearningRate *= 2
	if _, ok, err := finished(dir, &c); ok || err == nil || !strings.Contains(err.Error(), "neural.learning-rate") {
		t.Errorf("%v, %v", ok, err)
	}
}
