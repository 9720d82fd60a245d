package mnistadd

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// shared keeps MNIST in memory, which the tests load again and again.
var shared, _ = mnist.Load("") //nolint:unused // it only has to be reachable

// baseline is a short configuration of a system, with a small network where the system
// has a choice.
func baseline(t *testing.T, system string, digits int) config.Config {
	t.Helper()
	c := Defaults(digits, "energy", "best", 12)
	c.Task = "mnist-add1"
	useSystem(&c, system, digits)
	c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 4, 4, 100
	c.Neural.Views = 0
	small(&c)
	return c
}

// small chooses a small network, which has layers of every kind: convolutions, batch
// normalisation, dropout. The system cnn has no choice.
func small(c *config.Config) {
	if c.System != "cnn" {
		OptionsOf(c).Network = "lenet"
	}
}

// TestBaselinesResume: a baseline that was stopped goes on with the same bits. That of LTN
// depends on how far the run has come.
func TestBaselinesResume(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	c := baseline(t, "ltn", 1)
	run(t, c, train.Options{Dir: whole}, 0)
	run(t, c, train.Options{Dir: parts}, 2)
	run(t, c, train.Options{Dir: parts, Resume: true}, 0)
	sameRuns(t, "ltn", whole, parts)
}

// TestViews: with views the outputs are the normalised geometric mean of those on
// the plain images and on each view, and the larger test has the documented size.
func TestViews(t *testing.T) {
	c := baseline(t, "deepproblog", 2)
	c.Neural.Views = 2
	model, err := Open(c, 2, "")
	require.NoError(t, err)
	m := model.(*Baseline)
	assert.Equal(t, 1250, m.Examples(learning.MoreTestPart))
	adds := m.split.Train
	for part, want := range map[learning.Part]int{learning.ValidPart: 0, learning.FinalValidPart: 2, learning.TestPart: 2, learning.MoreTestPart: 2} {
		got, err := m.Outputs(part, []int{0, 1})
		require.NoError(t, err)
		if g, err := m.predict(m.images(part, []int{0, 1}), want); err != nil || !slices.Equal(got, g) {
			t.Errorf("part %s is not answered with %d views; %v", part, want, err)
		}
	}
	averaged, err := m.predict(adds.Images, 2)
	require.NoError(t, err)
	plain, err := m.predict(adds.Images, 0)
	require.NoError(t, err)
	again, err := m.predict(adds.Images, 2)
	require.NoError(t, err)
	assert.Equal(t, again, averaged, "two evaluations of the same images differ")
	product := make([]float64, len(plain)) // in logarithms
	multiply := func(outputs []float32) {
		for i, v := range outputs {
			product[i] += math.Log(max(float64(v), 1e-7))
		}
	}
	multiply(plain)
	for view := range 2 {
		out, err := m.Net.Forward(m.part.Pixels(adds.Images, m.viewer, uint64(view)), len(adds.Images))
		require.NoError(t, err)
		if slices.Equal(out, plain) {
			t.Errorf("view %d is the plain image", view)
		}
		multiply(out)
	}
	for i := 0; i < len(averaged); i += 10 {
		total := 0.0
		for _, v := range product[i : i+10] {
			total += math.Exp(v / 3)
		}
		for j, v := range averaged[i : i+10] {
			require.InDeltaf(t, math.Exp(product[i+j]/3)/total, float64(v), 1e-6, "image %d, digit %d: %v", i/10, j, v)
		}
	}
}

// TestTooManyDigits: a class a sum has its limit, and so has a count of double precision.
func TestTooManyDigits(t *testing.T) {
	for system, digits := range map[string]int{"cnn": 5, "deepproblog": 301, "ltn": 500} {
		_, err := Open(baseline(t, system, 1), digits, "")
		var usage *config.UsageError
		if !errors.As(err, &usage) || usage.Key != "system" {
			t.Errorf("%s on %d digits: %v", system, digits, err)
		}
	}
}

// TestProgress: the exponent of LTN changes over the run, and with it the loss of one batch,
// while that of DeepProbLog stays. There are no rules, nor solves.
func TestProgress(t *testing.T) {
	for _, system := range []string{"ltn", "deepproblog"} {
		c := baseline(t, system, 1)
		c.Neural.Dropout, c.Neural.Augment = 0, "none"
		m, err := Task{}.Open(c, "")
		require.NoError(t, err)
		var loss [2]float64
		for i, progress := range []float64{0, 1} {
			w, err := m.Gradient(learning.Step{Progress: progress, Temperature: 1}, []int{0, 1, 2, 3})
			require.NoError(t, err)
			if loss[i] = w.Loss; w.Solves != 0 || w.SolverSeconds != 0 || w.NeuralSeconds <= 0 || w.Terms != nil {
				t.Errorf("%s: work %+v", system, w)
			}
		}
		if changes := loss[0] != loss[1]; changes != (system == "ltn") {
			t.Errorf("%s: loss %v in the beginning, %v in the end", system, loss[0], loss[1])
		}
		l := m.Loss()
		if r := l.Rules(); r != nil || len(l.Weights()) != 0 || len(l.WeightGradient()) != 0 {
			t.Errorf("%s: rules %v of weights %v", system, r, l.Weights())
		}
	}
}
