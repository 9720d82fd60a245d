package train

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim/collective"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// interrupted trains a toy for twelve steps, of whose two validations the first is
// the best, and returns it with its checkpoint.
func interrupted(t *testing.T, dir string) (*toy, *checkpoint.Checkpoint) {
	t.Helper()
	m := newToy(1)
	m.accuracies = []float64{0.9, 0.5}
	ranUntil(t, 12, toyConfig(), m, m, Options{Dir: dir})
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	require.NoError(t, err)
	c, err := store.Latest(nil)
	require.NoError(t, err)
	return m, c
}

func floats(t *testing.T, c *checkpoint.Checkpoint, name string) []float32 {
	t.Helper()
	x, err := c.Tensor(name)
	require.NoError(t, err)
	return x.Data.([]float32)
}

// The tensors that a checkpoint has under the model's own names are those that are
// tested, not those that training goes on from.
func TestCheckpointNamesTested(t *testing.T) {
	dir := t.TempDir()
	m, c := interrupted(t, dir)
	tested := newToy(2)
	require.NoError(t, LoadTested(toyConfig(), tested, Options{Dir: dir}))
	weights := make([]float64, 2)
	require.NoError(t, checkpoint.Read(c, tensorW, weights))
	if !slices.Equal(floats(t, c, "p"), tested.value) || !slices.Equal(floats(t, c, "b"), tested.buffer) || !slices.Equal(weights, tested.w) {
		t.Errorf("named %v, %v, %v, tested %v, %v, %v", floats(t, c, "p"), floats(t, c, "b"), weights, tested.value, tested.buffer, tested.w)
	}
	last := []float32{m.value[0], m.value[2], m.buffer[0]} // the live ranges
	if !slices.Equal(floats(t, c, tensorLast), last) || last[0] == tested.value[0] || m.w[0] == tested.w[0] {
		t.Errorf("last %v, the model has %v, %v, tested were %v, %v", floats(t, c, tensorLast), last, m.w, tested.value, tested.w)
	}
}

// A checkpoint of before is refused in one line: one whose named tensors are the last weights and whose best are
// packed, as nobody takes its last weights for the tested ones, and one with an array that the network does not have
// any more, as that answers otherwise.
func TestCheckpointOfBefore(t *testing.T) {
	for more, want := range map[string]string{
		tensorBest: "of a version before commit a81149c",
		"p.mean":   `the run has the array "p.mean" more: `,
	} {
		dir := t.TempDir()
		_, c := interrupted(t, dir)
		var state json.RawMessage
		require.NoError(t, c.State(&state))
		tensors := []checkpoint.Tensor{checkpoint.NewTensor(more, []float32{0})}
		for _, name := range c.Names() {
			x, err := c.Tensor(name)
			require.NoError(t, err)
			tensors = append(tensors, x)
		}
		store, err := checkpoint.Open(dir, checkpoint.Options{})
		require.NoError(t, err)
		require.NoError(t, store.Save(c.Step+1, state, tensors))
		_, resumed := Run(context.Background(), toyConfig(), newToy(1), Options{Dir: dir, Resume: true})
		for _, err := range []error{resumed, LoadTested(toyConfig(), newToy(1), Options{Dir: dir})} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
		}
	}
}

// learns is a toy that learns from a text and is tested on another.
type learns struct {
	*toy
	learning.OwnRules
	from, on string
}

func (m *learns) Rulebook() learning.Rulebook { return m }

func (m *learns) Digest(w io.Writer, parts ...learning.Part) {
	if slices.Contains(parts, learning.TestPart) {
		_, _ = io.WriteString(w, m.on)
	}
}

func (m *learns) Loss() learning.LossHalf { return m }

func (m *learns) DigestRules(w io.Writer) { _, _ = io.WriteString(w, m.from) }

// TestContent: a run is not resumed with other data, and its evaluation says that they are others. Of other data to test on a
// run that goes on tells, too.
func TestContent(t *testing.T) {
	c, dir := toyConfig(), t.TempDir()
	m := &learns{toy: newToy(1), from: "data"}
	ranUntil(t, 3, c, m, m.toy, Options{Dir: dir})
	_, err := Run(context.Background(), c, &learns{toy: newToy(1), from: "others"}, Options{Dir: dir, Resume: true})
	require.ErrorAs(t, err, new(*config.UsageError))
	require.ErrorContains(t, err, "rules or data, or their order, are others than those that the run in "+dir+" began with; ")
	for _, on := range []string{"", "others", "others"} {
		news := &watch{}
		ran(t, c, &learns{toy: newToy(1), from: "data", on: on}, Options{Dir: dir, Resume: true, Observer: news})
		require.Equal(t, on != "", strings.Contains(strings.Join(news.notes, "\n"), "data to test on, or their order, are others than when "), news.notes)
	}
	news := &watch{}
	_, err = Evaluate(context.Background(), c, &learns{toy: newToy(1), from: "others"}, Options{Dir: dir, Observer: news})
	require.NoError(t, err)
	require.Contains(t, strings.Join(news.notes, "\n"), "rules or data, or their order, are others")
}

// TestContentBefore: what a checkpoint of an earlier version says of the data, of fewer of their parts, is not compared with
// those of now: such a run goes on and says so.
func TestContentBefore(t *testing.T) {
	dir := t.TempDir()
	_, last := interrupted(t, dir)
	state := map[string]any{}
	require.NoError(t, last.State(&state))
	delete(state, "learning_data")
	delete(state, "testing_data")
	state["learned_from"], state["tested_on"] = "few", "few"
	var tensors []checkpoint.Tensor
	for _, name := range last.Names() {
		tensor, err := last.Tensor(name)
		require.NoError(t, err)
		tensors = append(tensors, tensor)
	}
	store, err := checkpoint.Open(dir, checkpoint.Options{})
	require.NoError(t, err)
	require.NoError(t, store.Save(last.Step, state, tensors))
	for _, told := range []bool{true, false} { // the next checkpoint identifies them
		news := &watch{}
		ran(t, toyConfig(), newToy(1), Options{Dir: dir, Resume: true, Observer: news})
		require.Equal(t, told, strings.Contains(strings.Join(news.notes, "\n"), dir+" is of an earlier version: its rules and data are not compared with those of now"), news.notes)
	}
}

// TestContentOfRanks: a rank with other data than the first is refused.
func TestContentOfRanks(t *testing.T) {
	c, dir := toyConfig(), t.TempDir()
	c.Training.Shards = 2
	var all sync.WaitGroup
	for _, comm := range collective.Local(2) {
		all.Go(func() {
			_, err := Run(context.Background(), c, &learns{toy: newToy(1), from: fmt.Sprint(comm.Rank())}, Options{Dir: dir, Comm: comm})
			assert.ErrorContains(t, err, "data: rules or data, or their order, are not those of rank 0: rank 1; give")
		})
	}
	all.Wait()
	files, err := os.ReadDir(dir) // it is known before anything is begun
	require.NoError(t, err)
	require.Empty(t, files)
}

// TestToldOfRank: what the last rank leaves out of its table of the rules is not that of another rank.
func TestToldOfRank(t *testing.T) {
	c := toyConfig()
	var all sync.WaitGroup
	for _, comm := range collective.Local(2) {
		all.Go(func() {
			r := newRun(&c, newToy(1), Options{Comm: comm})
			r.state.Rules = []learning.Rule{{Text: "own", Start: 0.5, Active: new(0.1), ActiveSatisfaction: 0.2}}
			if comm.Rank() == 1 {
				r.state.Rules = []learning.Rule{{Text: "last"}}
			}
			assert.NoError(t, r.tell(&r.state.Rules, 1))
			assert.Equal(t, []learning.Rule{{Text: "last"}}, r.state.Rules)
		})
	}
	all.Wait()
}

// regrounded is a toy whose saved solver states are of other rows.
type regrounded struct{ *toy }

func (m *regrounded) Loss() learning.LossHalf { return m }

func (m *regrounded) SetWarm(func(string) (checkpoint.Tensor, error)) error {
	return fmt.Errorf("toy: %w", bilevel.ErrOtherRows)
}

// TestOtherRows: a run whose program is grounded otherwise by now is evaluated and not resumed.
func TestOtherRows(t *testing.T) {
	c, dir := toyConfig(), t.TempDir()
	want := ran(t, c, newToy(1), Options{Dir: dir})
	_, err := Run(context.Background(), c, &regrounded{newToy(1)}, Options{Dir: dir, Resume: true})
	require.ErrorAs(t, err, new(*config.UsageError))
	require.ErrorContains(t, err, "has other rows, as of an earlier version; ")
	got, err := Evaluate(context.Background(), c, &regrounded{newToy(1)}, Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, want.TestAccuracy, got.TestAccuracy)
}

// TestEvaluatedUnderOthers: an evaluation needs the weights alone, not what else the settings of
// learning keep, and weights of other rules are an error of use.
func TestEvaluatedUnderOthers(t *testing.T) {
	c, dir := toyConfig(), t.TempDir()
	c.Neural.Average = 0
	want := ran(t, c, newToy(1), Options{Dir: dir})
	c.Neural.Average = 0.9 // whose checkpoints have averages
	got, err := Evaluate(context.Background(), c, newToy(1), Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, want.TestAccuracy, got.TestAccuracy)
	m := newToy(1)
	m.w = append(m.w, 0)
	_, err = Evaluate(context.Background(), c, m, Options{Dir: dir})
	require.ErrorAs(t, err, new(*config.UsageError))
	require.ErrorContains(t, err, "do not fit the rules: ")
}
