package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

type testState struct {
	Epoch int
	Seed  uint64
	Loss  float64
}

func TestSaveAndLatest(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a", "b"), Options{Keep: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Latest(nil); !errors.Is(err, ErrNone) {
		t.Fatalf("empty store: %v", err)
	}
	for step := int64(10); step <= 40; step += 10 {
		st := testState{Epoch: int(step), Seed: 1<<63 + 1, Loss: 0.1}
		if err := s.Save(step, st, []Tensor{
			NewTensor("w", []float32{float32(step), 2, 3, 4}, 2, 2),
			NewTensor("label", []uint8{1, 2, 3}),
			NewTensor("x", []float64{0.1}),
		}); err != nil {
			t.Fatal(err)
		}
		if step == 10 {
			if err := s.MarkBest(10); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps, err := s.Steps()
	if err != nil || !slices.Equal(steps, []int64{10, 30, 40}) {
		t.Fatalf("steps %v, %v", steps, err)
	}
	c, err := s.Latest(func(name string, err error) { t.Errorf("%s: %v", name, err) })
	if err != nil {
		t.Fatal(err)
	}
	var st testState
	if err := c.State(&st); err != nil || st != (testState{40, 1<<63 + 1, 0.1}) {
		t.Fatalf("state %+v, %v", st, err)
	}
	w := make([]float32, 4)
	if err := Read(c, "w", w); err != nil || w[0] != 40 {
		t.Fatalf("w %v, %v", w, err)
	}
	if err := os.Truncate(filepath.Join(s.Dir(), c.Name, "state.json"), 5); err != nil {
		t.Fatal(err)
	}
	var bad []string
	c, err = s.Latest(func(name string, err error) { bad = append(bad, name); t.Log(name, err) })
	if err != nil || c.Step != 30 || !slices.Equal(bad, []string{"step-00000040"}) {
		t.Fatalf("fall-back: %v %v", err, bad)
	}
	if b, err := s.Best(); err != nil || b.Step != 10 {
		t.Fatalf("best: %v", err)
	}
	if err := s.Save(40, st, nil); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Latest(nil); err != nil || c.Name != "step-00000040-2" {
		t.Fatal(c, err)
	}
}
