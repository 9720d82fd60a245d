package train

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/learning"
	"hinge/train/record"
)

// TestLooks: looks at the validation data are more validations in the log, and change
// nothing of the run, though they see better weights than any validation.
func TestLooks(t *testing.T) {
	with, without := newToy(1), newToy(1)
	const look, validation = .75, .5
	with.accuracies = []float64{
		look, look, validation, look, look, validation, look, look, validation,
		look, look, validation, look, look, validation, look, look, validation,
	}
	without.accuracies = slices.Repeat([]float64{validation}, 6)
	var results [2]record.Result
	var valid [2][]int
	for i, m := range []*toy{with, without} {
		dir, w := t.TempDir(), new(watch)
		res := ran(t, toyConfig(), m, Options{Dir: dir, Observer: w, LookEvery: []int{2, 0}[i]})
		res.WallS, res.SolverS, res.NeuralS = 0, 0, 0
		results[i] = res
		for _, line := range metrics(t, dir) {
			if line.Split == learning.ValidPart {
				valid[i] = append(valid[i], line.Step)
			}
		}
		assert.Equal(t, len(valid[i]), len(w.fates), "told")
		for k, f := range w.fates {
			if looked := i == 0 && k%3 < 2; (f == Looked) != looked {
				t.Errorf("validation %d at step %d: fate %v", k, valid[i][k], f)
			}
		}
	}
	if !slices.Equal(with.value, without.value) || !slices.Equal(with.w, without.w) || !slices.Equal(with.warm, without.warm) {
		t.Error("looks changed the model")
	}
	if a, b := results[0], results[1]; a.TestAccuracy != b.TestAccuracy || a.BestStep != b.BestStep || a.ValidAccuracy != b.ValidAccuracy || a.Solves != b.Solves {
		t.Errorf("looks changed the result: %+v, %+v", a, b)
	}
	assert.Equal(t, []int{2, 4, 5, 7, 9, 10, 12, 14, 15, 17, 19, 20, 22, 24, 25, 27, 29, 30}, valid[0], "validations with looks at")
	assert.Equal(t, []int{5, 10, 15, 20, 25, 30}, valid[1], "validations at")
}

// TestReportAfterValidations: a page is made after a validation, but not while that
// takes much of the time.
func TestReportAfterValidations(t *testing.T) {
	made := 0
	opt := Options{Dir: t.TempDir(), Report: func(string) error {
		made++
		time.Sleep(200 * time.Millisecond) // dear, for a run of milliseconds
		return nil
	}}
	ran(t, toyConfig(), newToy(1), opt)
	assert.Equal(t, 2, made, "made")
}

// TestEndedRunKeepsOne: two checkpoints stay while a run goes on, the newest of one that
// has ended, and it can be evaluated.
func TestEndedRunKeepsOne(t *testing.T) {
	dir := t.TempDir()
	count := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "step-*"))
		require.NoError(t, err)
		return len(found)
	}
	m, most := newToy(1), 0
	m.afterStep = func(int) { most = max(most, count()) }
	res := ran(t, toyConfig(), m, Options{Dir: dir})
	if most != 2 || count() != 1 {
		t.Errorf("%d checkpoints meanwhile, want 2; %d at the end, want 1", most, count())
	}
	again, err := Evaluate(context.Background(), toyConfig(), newToy(2), Options{Dir: dir})
	if err != nil || again.TestAccuracy != res.TestAccuracy {
		t.Errorf("evaluated: %v, %v, want %v", again.TestAccuracy, err, res.TestAccuracy)
	}
}
