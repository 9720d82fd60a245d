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

	"hinge/data/mnist"
	"hinge/train"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
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

// TestDigest: other images or sums to learn from or to validate by are other data; those of the
// test are for the test alone.
func TestDigest(t *testing.T) {
	for _, system := range []string{"neupsl", "deepproblog"} {
		sums := []int{0, 0} // of valid and test
		digest := func(image int, label uint8, parts ...learning.Part) string {
			pixels := make([]uint8, 6*mnist.Pixels)
			pixels[image*mnist.Pixels] = 1
			part, err := mnist.NewPart(pixels, []uint8{label, 0, 0, 0, 0, 0})
			require.NoError(t, err)
			c, of := baseline(t, "deepproblog", 1), func(i int32, sum int) mnist.Additions {
				return mnist.Additions{Digits: 1, Images: []int32{i, i + 1}, Sums: []mnist.Sum{mnist.NewSum(sum, 1)}}
			}
			c.Training.Batch = 1
			split := &mnist.Split{Digits: 1, Train: of(0, int(label)), Valid: of(2, sums[0]), Test: of(4, sums[1])}
			var m learning.Model
			if m, err = NewBaseline(c, part, split); system == "neupsl" {
				sym, failed := NewSymbolic(1, "")
				require.NoError(t, failed)
				c = smallRun("energy")
				c.Training.Batch = 1
				m, err = New(c, sym, part, split)
			}
			require.NoError(t, err)
			var b strings.Builder
			m.Rulebook().Digest(&b, parts...)
			return b.String()
		}
		const learned, valid = learning.TrainPart, learning.ValidPart
		first := digest(4, 0, learned, valid)
		require.True(t, first == digest(5, 0, learned, valid), "%s: images of the test", system)
		require.False(t, digest(4, 0, learning.TestPart) == digest(5, 0, learning.TestPart), "%s: images of the test", system)
		for what, other := range map[string]string{"learned from": digest(0, 0, learned, valid), "validated by": digest(3, 0, learned, valid), "labels": digest(4, 7, learned, valid)} {
			require.False(t, first == other, "%s: %s", system, what)
		}
		tested := digest(4, 0, learning.TestPart)
		sums[1] = 1
		require.True(t, first == digest(4, 0, learned, valid), "%s: sums of the test", system)
		require.False(t, tested == digest(4, 0, learning.TestPart), "%s: sums of the test", system)
		sums[0] = 1
		require.False(t, first == digest(4, 0, learned, valid), "%s: sums to validate by", system)
	}
}
