package sudoku

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/traintest"
)

// shared keeps MNIST in memory, which the tests load again and again.
var shared, _ = mnist.Load("") //nolint:unused // it only has to be reachable

// images are all of MNIST's.
var images = sync.OnceValues(func() (*mnist.Part, error) {
	set, err := mnist.Load("")
	if err != nil {
		return nil, err
	}
	return set.All(), nil
})

// small makes a model of few boards, without pre-training.
func small(t *testing.T, change func(*config.Config)) (*Model, config.Config) {
	t.Helper()
	c := defaults(t, "sudoku4")
	OptionsOf(&c).Boards = 6
	c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 2, 3, 2
	c.Neural.Samples, c.Neural.Pretrain = 2, "none"
	if change != nil {
		change(&c)
	}
	part, err := images()
	require.NoError(t, err)
	m, err := newModel(c, part)
	require.NoError(t, err)
	return m, c
}

// TestRun: a short run is judged on all boards of validation and test, and reports the
// areas under both curves.
func TestRun(t *testing.T) {
	m, c := small(t, nil)
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	if res.TestExamples != 200 || res.TestAccuracy < 0.3 || *res.TestParts < 0.25 || res.Unsolved != 0 {
		t.Errorf("%+v", res)
	}
	for _, name := range []string{ReportAUROC, ReportValidAUROC} {
		if a := res.More[name]; !(a > 0.2 && a < 1) {
			t.Errorf("%s is %v after two steps", name, a)
		}
	}
	if _, err := m.Evaluate(t.Context(), learning.MoreTestPart); err == nil {
		t.Error("a part without boards was judged")
	}
}

// TestUnseen: whatever the loss, a run ends with the same numbers, bit for bit, whatever the
// digits are that the images show, the boards of the test and the invalid boards of training,
// and, as the last weights are tested, those of validation, which choose if asked. It sees
// the valid boards of training.
func TestUnseen(t *testing.T) {
	some, _ := small(t, nil)
	pixels := make([]uint8, 0, mnist.Pixels*some.images.Len())
	for i := range some.images.Len() {
		pixels = append(pixels, some.images.Raw(i)...)
	}
	blind, err := mnist.NewPart(pixels, make([]uint8, some.images.Len()))
	require.NoError(t, err)
	for _, loss := range some.cfg.Losses() {
		t.Run(loss, func(t *testing.T) {
			t.Parallel()
			run := func(chosen bool, spoil ...func(m *Model)) traintest.Learned {
				m, c := small(t, func(c *config.Config) {
					c.Loss, c.Training.LastWeights, c.Training.NoTest, c.Training.ValidEvery = loss, !chosen, true, 1
					if loss == string(bilevel.LossKBest) {
						c.Neural.Samples = 0
					}
				})
				m.split.Valid.Images = m.split.Valid.Images[:8*16]
				m.split.Test.Images = m.split.Test.Images[:8*16]
				for _, f := range spoil {
					f(m)
				}
				return traintest.Learn(t, c, m)
			}
			digits := func(m *Model) { m.images = blind }
			// Rows are of training: valid boards at even places.
			rows := func(first int) func(*Model) {
				return func(m *Model) {
					for n := first; n < m.split.Train.Len(); n += 2 {
						clear(m.split.Train.Row(n))
					}
				}
			}
			test := func(m *Model) { slices.Reverse(m.split.Test.Images) }
			valid := func(m *Model) { slices.Reverse(m.split.Valid.Images) }
			last := run(false)
			if names := traintest.Differ(last, run(false, digits, rows(1), test, valid)); names != nil {
				t.Errorf("depends on digits, or on boards of validation, the test or no solution: %v", names)
			}
			if loss == config.CommonLosses()[0] { // all choose alike
				if names := traintest.DifferChosen(run(true), run(true, test)); names != nil {
					t.Errorf("the choice depends on the test: %v", names)
				}
			}
			if traintest.Differ(last, run(false, rows(0))) == nil {
				t.Error("the valid boards are not seen")
			}
		})
	}
}

// TestLossFalls: along the gradient of a batch without noise the loss falls as its norm
// says.
func TestLossFalls(t *testing.T) {
	m, _ := small(t, func(c *config.Config) { c.Neural.Samples, c.Neural.Augment = 0, "none" })
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
	_, known, _, err := m.judge(learning.ValidPart)
	require.NoError(t, err)
	_, list, _, err := m.judge(learning.TestPart)
	require.NoError(t, err)
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
	require.Greater(t, best, want, "nothing can be told apart")
	s, err := m.Evaluate(t.Context(), learning.TestPart)
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
		m, _ := small(t, func(c *config.Config) {
			OptionsOf(c).Boards, c.Training.Batch = 2, 2
			OptionsOf(c).PretrainEpochs, c.Neural.Pretrain = 1, "best"
		})
		if k == 1 {
			clear(m.split.Valid.Images)
			clear(m.split.Test.Images)
		}
		value := func(name string) []float32 { return slices.Clone(m.Net.Params().Get(name).Value) }
		first, head := value("conv1.weight"), value("head.0.weight")
		_, err := m.Pretrain(context.Background(), func(string) {})
		require.NoError(t, err)
		if backbones[k] = value("conv1.weight"); slices.Equal(first, backbones[k]) {
			t.Error("the backbone is as before")
		}
		assert.Equal(t, value("head.0.weight"), head, "the head has changed")
	}
	assert.Equal(t, backbones[1], backbones[0], "pre-training depends on boards that it must not see")
}
