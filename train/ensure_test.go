package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// TestEnsure: an interrupted run goes on, with the result of an uninterrupted one;
// a finished one, which has no checkpoints any more, is only read; that of another
// configuration is not taken for it, finished or not.
func TestEnsure(t *testing.T) {
	c := toyConfig()
	whole := ran(t, c, newToy(1), Options{})

	dir, opened := t.TempDir(), 0
	ctx, cancel := context.WithCancel(context.Background())
	open := func() (learning.Model, error) {
		opened++
		m := newToy(1)
		if opened == 1 {
			m.afterStep = func(step int) {
				if step == 12 {
					cancel()
				}
			}
		}
		return m, nil
	}
	if _, err := Ensure(ctx, c, open, Options{Dir: dir}); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("got %v, want an interruption", err)
	}
	changed := c
	changed.Neural.LearningRate /= 2
	refuses := func() {
		t.Helper()
		var refused *ConfigChangedError
		if _, err := Ensure(context.Background(), changed, func() (learning.Model, error) { return newToy(1), nil }, Options{Dir: dir}); !errors.As(err, &refused) ||
			len(refused.Keys) != 1 || !strings.Contains(refused.Keys[0], "learning-rate") {
			t.Errorf("another configuration: got %v", err)
		}
	}
	refuses()
	if !Begun(dir) {
		t.Error("the interrupted run left no checkpoint")
	}
	for range 2 {
		res, err := Ensure(context.Background(), c, open, Options{Dir: dir})
		require.NoError(t, err)
		if res.TestAccuracy != whole.TestAccuracy || res.Steps != whole.Steps {
			t.Errorf("got %+v, want %+v", res, whole)
		}
	}
	assert.Equal(t, 2, opened, "the model was made")

	if left, err := filepath.Glob(filepath.Join(dir, "*step-*")); err != nil || len(left) > 0 {
		t.Errorf("checkpoints of a finished run: %v, %v", left, err)
	}
	refuses()
	broken := errors.New("no data")
	_, err := Ensure(context.Background(), c, func() (learning.Model, error) { return nil, broken }, Options{Dir: t.TempDir()})
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
