package train

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hinge/train/checkpoint"
)

// interrupted trains a toy for twelve steps, of whose two validations the first is
// the best, and returns it with its checkpoint.
func interrupted(t *testing.T, dir string) (*toy, *checkpoint.Checkpoint) {
	t.Helper()
	m := newToy(1)
	m.accuracies = []float64{0.9, 0.5}
	ctx, cancel := context.WithCancel(context.Background())
	m.afterStep = func(step int) {
		if step == 11 {
			cancel()
		}
	}
	if _, err := Run(ctx, toyConfig(), m, Options{Dir: dir}); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Latest(nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

func floats(t *testing.T, c *checkpoint.Checkpoint, name string) []float32 {
	t.Helper()
	x, err := c.Tensor(name)
	if err != nil {
		t.Fatal(err)
	}
	return x.Data.([]float32)
}

// The tensors that a checkpoint has under the model's own names are those that are
// tested, not those that training goes on from.
func TestCheckpointNamesTested(t *testing.T) {
	dir := t.TempDir()
	m, c := interrupted(t, dir)
	tested := newToy(2)
	if err := LoadTested(toyConfig(), tested, Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, 2)
	if err := checkpoint.Read(c, tensorW, weights); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(floats(t, c, "p"), tested.value) || !slices.Equal(floats(t, c, "b"), tested.buffer) || !slices.Equal(weights, tested.w) {
		t.Errorf("named %v, %v, %v, tested %v, %v, %v", floats(t, c, "p"), floats(t, c, "b"), weights, tested.value, tested.buffer, tested.w)
	}
	last := []float32{m.value[0], m.value[2], m.buffer[0]} // the live ranges
	if !slices.Equal(floats(t, c, tensorLast), last) || last[0] == tested.value[0] || m.w[0] == tested.w[0] {
		t.Errorf("last %v, the model has %v, %v, tested were %v, %v", floats(t, c, tensorLast), last, m.w, tested.value, tested.w)
	}
}

// A checkpoint of before, whose named tensors are the last weights and whose best
// are packed, resumes to the same bits.
func TestCheckpointOfBefore(t *testing.T) {
	now, before := t.TempDir(), t.TempDir()
	m, c := interrupted(t, now)
	var state json.RawMessage
	if err := c.State(&state); err != nil {
		t.Fatal(err)
	}
	var tensors []checkpoint.Tensor
	for _, name := range c.Names() {
		x, err := c.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "p":
			x.Data = m.value
		case "b":
			x.Data = m.buffer
		case tensorW:
			x.Name = tensorBestW
		case tensorLastW:
			x.Name = tensorW
		case tensorLast:
			p := floats(t, c, "p")
			x = checkpoint.NewTensor(tensorBest, []float32{p[0], p[2], floats(t, c, "b")[0]})
		}
		tensors = append(tensors, x)
	}
	store, err := checkpoint.Open(before, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Save(c.Step, state, tensors); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(filepath.Join(now, MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(before, MetricsFile), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	a, b := newToy(1), newToy(1)
	for dir, m := range map[string]*toy{now: a, before: b} {
		if err := LoadTested(toyConfig(), m, Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(a.value, floats(t, c, "p")) || !slices.Equal(a.value, b.value) || !slices.Equal(a.w, b.w) {
		t.Errorf("tested %v, %v, before %v, %v", a.value, a.w, b.value, b.w)
	}
	a, b = newToy(1), newToy(1)
	for dir, m := range map[string]*toy{now: a, before: b} {
		if _, err := Run(context.Background(), toyConfig(), m, Options{Dir: dir, Resume: true}); err != nil {
			t.Fatal(err)
		}
	}
	sameRun(t, now, before, a, b)
}
