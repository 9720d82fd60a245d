package sudoku

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"hinge/data/mnist"
	"hinge/train"
	"hinge/train/traintest"
)

// small opens a model of few boards, without pre-training.
func small(t *testing.T, change func(*train.Config)) (*Model, train.Config) {
	t.Helper()
	c := defaults(t, "sudoku4")
	OptionsOf(&c).Boards = 6
	c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 2, 3, 2
	c.Neural.Samples, c.Neural.Pretrain = 2, "none"
	if change != nil {
		change(&c)
	}
	m, err := Task{}.Open(c, "")
	if err != nil {
		t.Fatal(err)
	}
	return m.(*Model), c
}

// TestRun: a short run is judged on all boards of validation and test, and reports the
// areas under both curves.
func TestRun(t *testing.T) {
	m, c := small(t, nil)
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if res.TestExamples != 200 || res.TestAccuracy < 0.3 || res.TestParts < 0.25 || res.Unsolved != 0 {
		t.Errorf("%+v", res)
	}
	for _, name := range []string{ReportAUROC, ReportValidAUROC} {
		if a := res.More[name]; !(a > 0.2 && a < 1) {
			t.Errorf("%s is %v after two steps", name, a)
		}
	}
	if _, err := m.Evaluate(train.MoreTestPart); err == nil {
		t.Error("a part without boards was judged")
	}
}

// TestUnseen: a step of learning sees neither digits nor boards of validation and test,
// nor invalid boards.
func TestUnseen(t *testing.T) {
	var grads [2][]float32
	for k := range grads {
		m, _ := small(t, nil)
		if k == 1 {
			for n := 1; n < m.split.Train.Len(); n += 2 {
				clear(m.split.Train.Row(n))
			}
			clear(m.split.Valid.Images)
			clear(m.split.Test.Images)
			pixels := make([]uint8, 0, mnist.Pixels*m.images.Len())
			for i := range m.images.Len() {
				pixels = append(pixels, m.images.Raw(i)...)
			}
			var err error
			if m.images, err = mnist.NewPart(pixels, make([]uint8, m.images.Len())); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.Gradient(train.Step{Temperature: 0.3}, []int{0, 2, 5}); err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Params() {
			grads[k] = append(grads[k], p.Grad...)
		}
	}
	if !slices.Equal(grads[0], grads[1]) {
		t.Error("the gradient depends on what learning must not see")
	}
}

// TestLossFalls: along the gradient of a batch without noise the loss falls as its norm
// says.
func TestLossFalls(t *testing.T) {
	m, _ := small(t, func(c *train.Config) { c.Neural.Samples, c.Neural.Augment = 0, "none" })
	for _, p := range m.Params() { // away from the flat start
		if p.Name == "head.0.weight" {
			for i := range p.Value {
				p.Value[i] *= 40
			}
		}
	}
	traintest.LossFalls(t, m, []int{0, 1, 2})
}

// TestThresholdIsValidations: the boards of the test are judged by the threshold that
// those of validation give, not by the best one for themselves.
func TestThresholdIsValidations(t *testing.T) {
	m, _ := small(t, nil)
	_, known, err := m.judge(train.ValidPart)
	if err != nil {
		t.Fatal(err)
	}
	_, list, err := m.judge(train.TestPart)
	if err != nil {
		t.Fatal(err)
	}
	right := func(most float64) float64 {
		n := 0
		for _, j := range list {
			if (j.energy <= most) == j.valid {
				n++
			}
		}
		return float64(n) / float64(len(list))
	}
	want, best := right(threshold(known)), right(threshold(list))
	if best <= want {
		t.Fatalf("the test's own threshold gives %v, validation's %v: nothing can be told apart", best, want)
	}
	s, err := m.Evaluate(train.TestPart)
	if err != nil || s.Accuracy != want {
		t.Errorf("accuracy %v, %v, want %v", s.Accuracy, err, want)
	}
}

// TestPretrain: pre-training replaces the backbone, leaves the head, and sees no board of
// validation or test.
func TestPretrain(t *testing.T) {
	var backbones [2][]float32
	for k := range backbones {
		t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
		m, _ := small(t, func(c *train.Config) {
			OptionsOf(c).Boards, c.Training.Batch = 2, 2
			OptionsOf(c).PretrainEpochs, c.Neural.Pretrain = 1, "best"
		})
		if k == 1 {
			clear(m.split.Valid.Images)
			clear(m.split.Test.Images)
		}
		value := func(name string) []float32 { return slices.Clone(m.Net.Params().Get(name).Value) }
		first, head := value("conv1.weight"), value("head.0.weight")
		if _, err := m.Pretrain(context.Background(), func(string) {}); err != nil {
			t.Fatal(err)
		}
		if backbones[k] = value("conv1.weight"); slices.Equal(first, backbones[k]) {
			t.Error("the backbone is as before")
		}
		if !slices.Equal(head, value("head.0.weight")) {
			t.Error("the head has changed")
		}
	}
	if !slices.Equal(backbones[0], backbones[1]) {
		t.Error("pre-training depends on boards that it must not see")
	}
}
