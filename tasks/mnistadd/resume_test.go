package mnistadd

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/record"
)

// stopAfter ends a context after a number of steps.
type stopAfter struct {
	step   int
	cancel context.CancelFunc
}

func (s *stopAfter) Start(train.Plan) {}
func (s *stopAfter) Step(step int, _ record.Metric) {
	if step == s.step {
		s.cancel()
	}
}
func (s *stopAfter) Valid(int, record.Metric, train.Fate) {}
func (s *stopAfter) Note(string)                          {}
func (s *stopAfter) Done()                                {}

// TestResumeIsExact trains the model with a small network 14 steps in one go and 12 + 2 with
// an interruption, and compares every tensor of the last checkpoint (weights,
// batch-norm statistics, moments, averages, duals), its state and the metrics
// bit for bit.
//
// The cross entropy stands for all here: it has what the others have, and
// points, multipliers and two more warm states besides. The interruption falls
// into the middle of an epoch.
func TestResumeIsExact(t *testing.T) { resumeIsExact(t, "bce") }

func resumeIsExact(t *testing.T, loss string) {
	c := smallRun(loss)
	whole := filepath.Join(t.TempDir(), "whole")
	run(t, c, train.Options{Dir: whole}, 0)
	parts := filepath.Join(t.TempDir(), "parts")
	run(t, c, train.Options{Dir: parts}, 12)
	run(t, c, train.Options{Dir: parts, Resume: true}, 0)
	sameRuns(t, loss, whole, parts)
}

// smallRun is a run of a small network of 14 steps with everything switched on.
func smallRun(loss string) config.Config {
	c := Defaults(1, loss, "best", 40)
	c.Task = "mnist-add1"
	c.Training.Batch, c.Training.Steps, c.Training.ValidEvery, c.Training.MoreTest = 4, 14, 7, false
	c.Neural.Samples, c.Neural.Dropout, c.Neural.Views = 2, 0.1, 0
	c.Symbolic.Step, c.Bilevel.ConstraintDraws, c.Bilevel.ConstraintSamples, c.Bilevel.TestEvery = 1e-3, 1, 2, 1
	c.Symbolic.FreezeRules = false
	small(&c)
	return c
}

// sameRuns compares the last checkpoints and the metrics of two runs.
func sameRuns(t *testing.T, loss, one, other string) {
	t.Helper()
	a, b := newest(t, one), newest(t, other)
	require.Equal(t, b.Names(), a.Names(), "tensors")
	sameTensors(t, loss, a, b)
	for _, want := range []string{"solver/map.dual", "solver/augmented.dual", "bilevel/points", "bilevel/scalars"} {
		if loss == "bce" && !slices.Contains(a.Names(), want) {
			t.Errorf("no %s among %v", want, a.Names())
		}
	}
	if ma, mb := readMetrics(t, one), readMetrics(t, other); ma != mb {
		t.Errorf("%s: metrics differ:\n%s\n%s", loss, ma, mb)
	}
}

// sameTensors compares the tensors of two checkpoints, bit for bit.
func sameTensors(t *testing.T, what string, a, b *checkpoint.Checkpoint) {
	t.Helper()
	for _, name := range a.Names() {
		ta, err := a.Tensor(name)
		require.NoError(t, err)
		tb, err := b.Tensor(name)
		require.NoError(t, err)
		if !sameBits(ta, tb) {
			t.Errorf("%s: tensor %s differs", what, name)
		}
	}
}

// run trains a fresh model and interrupts it after some steps (0: never).
func run(t *testing.T, c config.Config, opt train.Options, stop int) {
	t.Helper()
	model, err := Task{}.Open(c, "")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt.Observer = &stopAfter{stop, cancel}
	_, err = train.Run(ctx, c, model, opt)
	if stop > 0 && !errors.Is(err, train.ErrInterrupted) || stop == 0 && err != nil {
		t.Fatalf("stop after %d: %v", stop, err)
	}
}

func newest(t *testing.T, dir string) *checkpoint.Checkpoint {
	t.Helper()
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	require.NoError(t, err)
	c, err := store.Latest(nil)
	require.NoError(t, err)
	return c
}

func sameBits(a, b checkpoint.Tensor) bool {
	if !slices.Equal(a.Shape, b.Shape) {
		return false
	}
	switch d := a.Data.(type) {
	case []float32:
		return slices.Equal(d, b.Data.([]float32))
	case []float64:
		return slices.Equal(d, b.Data.([]float64))
	case []int64:
		return slices.Equal(d, b.Data.([]int64))
	}
	return false
}

// readMetrics returns metrics.jsonl without the seconds.
func readMetrics(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	require.NoError(t, err)
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		delete(m, "solver_s")
		delete(m, "neural_s")
		delete(m, "comm_s")
		text, err := json.Marshal(m)
		require.NoError(t, err)
		out.Write(append(text, '\n'))
	}
	return out.String()
}
