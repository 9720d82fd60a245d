package mnistadd

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/learning"
	"hinge/train/traintest"
)

// withOtherTest is a split with the training and validation additions of s, and
// tests of other images with wrong sums.
func withOtherTest(t *testing.T, part *mnist.Part, s *mnist.Split) *mnist.Split {
	t.Helper()
	other := smallSplit(t, part, s.Digits)
	spoil(part, &other.Test, &s.Test)
	spoil(part, &other.More, &s.More)
	return other
}

// spoil makes additions of other images than those given, with wrong sums.
func spoil(part *mnist.Part, to, from *mnist.Additions) {
	to.Images, to.Sums = slices.Clone(from.Images), slices.Clone(from.Sums)
	for i := range to.Images {
		to.Images[i] = (to.Images[i] + 1) % int32(part.Len())
	}
	for i := range to.Sums {
		to.Sums[i] = otherSum(to.Sums[i])
	}
}

// otherSum has one in place of zeros, and else one digit less.
func otherSum(s mnist.Sum) mnist.Sum {
	other := slices.Clone(s)
	for i := range other {
		other[i] = max(other[i]-1, 1-min(other[i], 1))
	}
	return other
}

// subject is something that learns additions.
type subject struct {
	system, loss, recipe string
	digits               int
	parts                bool // it learns from windows and from leading columns
}

// subjects are every loss of every recipe that has it, and every system beside NeuPSL but
// cnn, whose network is large.
func subjects() (all []subject) {
	some := Defaults(1, "energy", "best", 4)
	for _, recipe := range []string{"best", "paper"} {
		for _, loss := range some.Losses() {
			if recipe != "paper" || loss != ChainLoss {
				all = append(all, subject{"neupsl", loss, recipe, 1, false})
			}
		}
		for _, system := range some.Systems()[1:] {
			if system != "cnn" {
				all = append(all, subject{system, "energy", recipe, 1, false})
			}
		}
	}
	return append(all, subject{"neupsl", "energy", "best", 2, false}, subject{"neupsl", ChainLoss, "best", 4, true})
}

// learn lets a subject learn from a few additions of a few images. Validation additions
// choose the weights if chosen.
func (s subject) learn(t *testing.T, images *mnist.Part, split *mnist.Split, chosen bool) traintest.Learned {
	t.Helper()
	c := SystemDefaults(s.system, fmt.Sprint("mnist-add", s.digits), s.loss, s.recipe, split.Train.Len())
	c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 4, 2, 1
	c.Training.LastWeights, c.Training.Patience, c.Training.NoTest = !chosen, 0, true
	c.Neural.Views, c.Neural.Samples, c.Neural.Pretrain = 0, min(c.Neural.Samples, 2), "none"
	c.Neural.LearningRate, c.Neural.Warmup = 1e-2, 0
	small(&c)
	if s.parts {
		o := OptionsOf(&c)
		o.WindowColumns, o.LeadColumns, o.Lead = 2, 2, 0.5
	}
	require.NoError(t, c.Validate())
	var m learning.Model
	var err error
	if c.NeuPSL() {
		sym, e := NewSymbolic(s.digits, "")
		require.NoError(t, e)
		m, err = New(c, sym, images, split)
	} else {
		m, err = NewBaseline(c, images, split)
	}
	require.NoError(t, err)
	return traintest.Learn(t, c, m)
}

// pictures are some images, and the same with wrong digits.
func pictures(t *testing.T) (images, misread *mnist.Part) {
	t.Helper()
	set, err := mnist.Load("")
	require.NoError(t, err)
	const n = 2200
	var pixels, labels, wrong []uint8
	for i := range n {
		digit := set.Train.Label(i)
		pixels, labels, wrong = append(pixels, set.Train.Raw(i)...), append(labels, uint8(digit)), append(wrong, uint8((digit+1+i%9)%10))
	}
	images, err = mnist.NewPart(pixels, labels)
	require.NoError(t, err)
	misread, err = mnist.NewPart(pixels, wrong)
	require.NoError(t, err)
	return images, misread
}

// wrongSums makes all training sums of a split wrong.
func wrongSums(s *mnist.Split) *mnist.Split {
	for i, sum := range s.Train.Sums {
		s.Train.Sums[i] = otherSum(sum)
	}
	return s
}

// TestUnseen: a run ends with the same numbers, bit for bit, whatever the digits are that
// the images show, and whatever the images and sums of the test; where the last weights are
// tested, also whatever those of validation. It sees the sums of its training additions.
func TestUnseen(t *testing.T) {
	images, misread := pictures(t)
	for _, s := range subjects() {
		t.Run(strings.Join([]string{s.system, s.loss, s.recipe, fmt.Sprint(s.digits)}, ","), func(t *testing.T) {
			t.Parallel()
			split := func(parts ...func(*mnist.Split) *mnist.Additions) *mnist.Split {
				own := smallSplit(t, images, s.digits)
				for _, part := range parts {
					spoil(images, part(own), part(own))
				}
				return own
			}
			test := func(s *mnist.Split) *mnist.Additions { return &s.Test }
			more := func(s *mnist.Split) *mnist.Additions { return &s.More }
			valid := func(s *mnist.Split) *mnist.Additions { return &s.Valid }
			chosen := s.learn(t, images, split(), true)
			if names := traintest.DifferChosen(chosen, s.learn(t, misread, split(test, more), true)); names != nil {
				t.Errorf("depends on test additions or digits: %v", names)
			}
			last := s.learn(t, images, split(), false)
			if names := traintest.Differ(last, s.learn(t, misread, split(test, more, valid), false)); names != nil {
				t.Errorf("depends on validation additions: %v", names)
			}
			if traintest.Differ(last, s.learn(t, images, wrongSums(split()), false)) == nil {
				t.Error("the sums of training additions are not seen")
			}
		})
	}
}

// TestClassifierUnseen: the gradient of the system cnn, too, depends on no digit, and on no
// addition but the training's.
func TestClassifierUnseen(t *testing.T) {
	images, misread := pictures(t)
	gradient := func(part *mnist.Part, split *mnist.Split) (grads [][]float32) {
		m, err := NewBaseline(baseline(t, "cnn", 1), part, split)
		require.NoError(t, err)
		_, err = m.Gradient(learning.Step{Temperature: 1}, []int{0, 1, 2, 3})
		require.NoError(t, err)
		for _, p := range m.Params() {
			grads = append(grads, p.Grad)
		}
		return grads
	}
	want, others := gradient(images, smallSplit(t, images, 1)), smallSplit(t, images, 1)
	for _, a := range []*mnist.Additions{&others.Valid, &others.Test, &others.More} {
		spoil(images, a, a)
	}
	assert.Equal(t, want, gradient(misread, others), "depends on digits, or on additions of validation or test")
	if reflect.DeepEqual(gradient(images, wrongSums(smallSplit(t, images, 1))), want) {
		t.Error("the sums of training additions are not seen")
	}
}
