package mnistadd

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"

	"hinge/data/mnist"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd/chain"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// windowsOfSums returns the chain of a batch of windows, with outputs and rule weights, of some sums.
func windowsOfSums(t *testing.T, w windows, batch int, sums ...int) (c *chain.Chain, g, weights []float64) {
	t.Helper()
	sym, err := NewSymbolic(w.digits, "")
	require.NoError(t, err)
	whole, err := chain.Columns(sym.addition(), func(a int) []int { return mnist.NewSum(sums[a], w.digits) })
	require.NoError(t, err)
	c, err = w.chain(whole, sym.Template.Rules, batch, 0.05)
	require.NoError(t, err)
	return c, randomOutputs(rand.New(rand.NewPCG(5, uint64(w.columns))), 2*w.columns*batch, 1), startWeights(sym)
}

func load(t *testing.T, c *chain.Chain, batch []int, weights, g []float64) {
	t.Helper()
	require.NoError(t, c.Load(batch))
	require.NoError(t, c.Evaluate(weights, g))
}

// TestWindowGroundings: all windows of an addition have the potentials of its program, counted there by
// rule, and the leading ones alone none of the rules of the ones column. So a mean over potentials
// is the same in windows of any length.
func TestWindowGroundings(t *testing.T) {
	sym, err := NewSymbolic(6, "")
	require.NoError(t, err)
	p := sym.Template.Program()
	all := make([]float64, len(p.Rules))
	for _, r := range p.PotentialRule {
		all[r]++
	}
	for _, columns := range []int{6, 3, 2, 1} {
		w := windows{6, columns}
		batch := learning.All(w.parts())
		c, _, _ := windowsOfSums(t, w, len(batch), 1234567)
		require.NoError(t, c.Load(batch))
		assert.Equal(t, all, c.Groundings(), "%d columns", columns)
	}
	c, _, _ := windowsOfSums(t, windows{6, 2}, 1, 1234567)
	require.NoError(t, c.Load([]int{0}))
	for r, n := range c.Groundings() {
		want := 2 * all[r] / 5 // of the columns above the ones
		if strings.Contains(p.Rules[r].Text, "Units") {
			want = 0
		}
		assert.Equal(t, want, n, p.Rules[r].Text)
	}
}

// TestWindowGradient: the gradients of the first, an inner and the last window of two
// additions, in one batch, are those of F by finite differences.
func TestWindowGradient(t *testing.T) {
	batch := []int{4, 2, 0}
	c, g, weights := windowsOfSums(t, windows{6, 2}, len(batch), 1234567, 999999)
	coef := []float64{0.7, -1.3, 0.4}
	value := func(weights, g []float64) (f float64) {
		load(t, c, batch, weights, g)
		for i, v := range c.Values() {
			f += coef[i] * v
		}
		return f
	}
	value(weights, g)
	dw, dg := make([]float64, len(weights)), make([]float64, len(g))
	c.WeightGradient(coef, dw)
	c.DeepGradient(coef, dg)
	central := &fd.Settings{Formula: fd.Central}
	assert.InDeltaSlice(t, fd.Gradient(nil, func(w []float64) float64 { return value(w, g) }, weights, central), dw, 1e-6, "by the weights")
	assert.InDeltaSlice(t, fd.Gradient(nil, func(g []float64) float64 { return value(weights, g) }, g, central), dg, 1e-6, "by the outputs")
}

// TestWholeWindow: a window that is the whole number has the bits of the whole chain.
func TestWholeWindow(t *testing.T) {
	w := windows{5, 5}
	one, g, weights := windowsOfSums(t, w, 2, 123456, 99)
	sym, err := NewSymbolic(w.digits, "")
	require.NoError(t, err)
	shape, err := chain.Columns(sym.addition(), func(a int) []int { return mnist.NewSum([]int{123456, 99}[a], w.digits) })
	require.NoError(t, err)
	whole, err := chain.New([]chain.Shape{shape}, func(int) int { return 0 }, sym.Template.Rules, 2, sym.Template.Deep, 0.05)
	require.NoError(t, err)
	var got [2][]float64
	for k, c := range []*chain.Chain{one, whole} {
		load(t, c, []int{1, 0}, weights, g)
		dg, dw := make([]float64, len(g)), make([]float64, len(weights))
		c.DeepGradient([]float64{0.3, 2}, dg)
		c.WeightGradient([]float64{0.3, 2}, dw)
		got[k] = slices.Concat(c.Values(), dg, dw)
	}
	assert.Equal(t, got[1], got[0], "a window of all columns and the whole chain differ")
}

// windowValue is the optimal energy of a window, at one-hot outputs for the digits of
// its images, with the labels of a sum.
func windowValue(t *testing.T, w windows, window *Symbolic, sum, e int, images ...int) float64 {
	t.Helper()
	g := make([]float64, window.Template.Deep)
	for i, x := range images {
		g[10*i+x] = 1
	}
	return labelledValue(t, window, g, func(in *lcqp.Instance) error { return w.label(window, mnist.NewSum(sum, w.digits), e, in) })
}

// TestWindowProgram: the energy of a window is ε-terms alone where some carries make its digits
// give those of the sum, and else far above; no carry comes into the ones, and the label has
// the one out of the leading column.
func TestWindowProgram(t *testing.T) {
	w := windows{6, 2}
	window, err := newWindow(w.columns, "")
	require.NoError(t, err)
	// 375,846 + 248,754 = 624,600. Part 0 is 37 + 24 and a carry, part 2 46 + 54.
	for _, c := range []struct {
		part   int
		images []int
		right  bool
	}{
		{0, []int{3, 7, 2, 4}, true},  // 61 + 1 = 62
		{0, []int{3, 8, 2, 4}, true},  // 62, and no carry in
		{0, []int{3, 9, 2, 4}, false}, // 63
		{0, []int{8, 7, 7, 4}, false}, // 162: the label has no carry out
		{1, []int{5, 8, 8, 7}, true},  // 145 + 1
		{1, []int{0, 8, 3, 7}, true},  // 45 + 1: the carry out is not known
		{1, []int{5, 8, 8, 6}, false}, // 144
		{2, []int{4, 6, 5, 4}, true},  // 100
		{2, []int{4, 5, 5, 4}, false}, // 99: no carry comes into the ones
	} {
		v := windowValue(t, w, window, 624600, c.part, c.images...)
		if c.right != (v < 0.01) || !c.right && v < 0.05 {
			t.Errorf("part %d, digits %d: energy %v, right %v", c.part, c.images, v, c.right)
		}
	}
}

// TestWindowAnswers: what learns by windows through V answers with the program of whole
// additions.
func TestWindowAnswers(t *testing.T) {
	c := windowRun()
	c.Loss, OptionsOf(&c).LeadColumns = "energy", 3
	c.Neural.Samples = 1
	require.NoError(t, c.Validate())
	model, err := Task{}.Open(c, "")
	require.NoError(t, err)
	m := model.(*Model)
	for progress, own := range map[float64]bool{0: false, 1: true} {
		step := learning.Step{Number: 3, Progress: progress, Temperature: 1}
		learned := newLead(&c, 12).choose(step, []int{6, 5})
		assert.Equalf(t, own, slices.Equal(learned, []int{6, 5}), "at %v of the run it learns from %v", progress, learned)
		for _, e := range learned {
			assert.True(t, own || e%4 == 0, "window %d is no leading one", e)
		}
		one, err := m.Gradient(step, []int{6, 5})
		require.NoError(t, err)
		other, err := m.Gradient(step, []int{3, 2})
		require.NoError(t, err)
		assert.Equal(t, own, one.Loss != other.Loss, "at %v of the run the model learns from windows of its own choice", progress)
	}
	s, err := m.Evaluate(t.Context(), learning.ValidPart)
	require.NoError(t, err)
	assert.Equal(t, m.split.Valid.Len(), s.Examples)
	assert.Len(t, m.Inference().Result(0).Y, m.sym.Template.Targets)
}

// TestWindowColumns: the default cuts numbers of more than a hundred digits, and with
// losses through V of more than two; settings that make no sense are refused.
func TestWindowColumns(t *testing.T) {
	for digits, want := range map[int]int{100: 0, 200: 100, 500: 100, 150: 75, 101: 0, 202: 0, 222: 74} {
		assert.Equal(t, want, windowColumns(digits), digits)
		c := SystemDefaults("neupsl", fmt.Sprintf("mnist-add%d", digits), ChainLoss, "best", mnist.FullSize(digits))
		assert.NoError(t, c.Validate(), digits)
	}
	for additions, lead := range map[int]int{3: 0, 40: 1} {
		for loss, noise := range map[string]float64{"energy": 3, "bce": 3, "k-best": 0} {
			c := SystemDefaults("neupsl", "mnist-add4", loss, "best", additions)
			o := OptionsOf(&c)
			assert.NoError(t, c.Validate(), additions)
			assert.Equal(t, []int{1, lead, min(30, 4*additions)}, []int{o.WindowColumns, o.LeadColumns, c.Training.Batch}, additions)
			assert.Equal(t, noise, c.Neural.NoiseSpread, loss)
			assert.True(t, c.Symbolic.FreezeRules)
		}
	}
	other := SystemDefaults("deepproblog", "mnist-add4", "energy", "best", 40)
	assert.Zero(t, OptionsOf(&other).WindowColumns, "of another system")
	refuses(t, "mnist-add200", 150, map[string]func(c *config.Config, o *Options){
		"window-columns: 30 columns of numbers": func(_ *config.Config, o *Options) { o.WindowColumns = 30 },
		"window-columns: -1 is not in [1, 500]": func(_ *config.Config, o *Options) { o.WindowColumns = -1 },
	})
}

// windowRun is a run of 3 epochs of 8 windows, two a step, with the rule weights learned.
func windowRun() config.Config {
	c := SystemDefaults("neupsl", "mnist-add12", ChainLoss, "best", 2)
	o := OptionsOf(&c)
	o.Network, o.WindowColumns, o.Lead, o.LeadColumns = "lenet", 3, 0.3, 6
	c.Training.Batch, c.Training.Epochs, c.Training.ValidEvery, c.Neural.Views = 2, 3, 100, 0
	c.Symbolic.FreezeRules = false
	return c
}

// TestWindowImages: a step looks at the images of its windows, and the windows of an
// epoch have every training image once.
func TestWindowImages(t *testing.T) {
	c := windowRun()
	OptionsOf(&c).Lead, OptionsOf(&c).LeadColumns = 0, 0
	model, err := Task{}.Open(c, "")
	require.NoError(t, err)
	m := model.(*Model)
	require.Equal(t, 8, m.Examples(learning.TrainPart))
	for epoch := range 2 {
		var seen []int32
		for _, batch := range c.Batches(m.Examples(learning.TrainPart), epoch) {
			images := m.images(learning.TrainPart, batch)
			seen = append(seen, images...)
			step := learning.Step{Epoch: epoch, Progress: 1, Temperature: 1}
			x, err := m.TrainingInputs(step, batch)
			require.NoError(t, err)
			assert.Equalf(t, m.part.Pixels(images, mustRamp(t, m, 1), step.Stream()), x, "a step with windows %v looks at other images", batch)
			for i := range images {
				if e, k := batch[i/6], i%6; m.Class(learning.TrainPart, e, k) != m.part.Label(int(images[i])) {
					t.Errorf("window %d: image %d has another class", e, k)
				}
			}
		}
		all := slices.Clone(m.split.Train.Images)
		slices.Sort(all)
		if slices.Sort(seen); !slices.Equal(seen, all) {
			t.Errorf("epoch %d does not see every image once", epoch)
		}
	}
	for e := range m.Examples(learning.TrainPart) { // the digits of the sum are those of the window's columns
		images, a, low := m.images(learning.TrainPart, []int{e}), e/4, 9-e%4*3
		for k := range 3 {
			row := m.split.Train.Row(a)
			if p := 11 - low - k; images[2-k] != row[p] || images[5-k] != row[12+p] {
				t.Errorf("window %d: column %d is not that of its addition", e, low+k)
			}
		}
	}
}

// TestResumeWindows: a run by windows that is interrupted in the middle of an epoch, as it
// learns from leading columns and after, has the bits of one in one go.
func TestResumeWindows(t *testing.T) {
	c := windowRun()
	whole, parts := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
	run(t, c, train.Options{Dir: whole}, 0)
	run(t, c, train.Options{Dir: parts}, 2)
	run(t, c, train.Options{Dir: parts, Resume: true}, 9)
	run(t, c, train.Options{Dir: parts, Resume: true}, 0)
	sameRuns(t, ChainLoss, whole, parts)
}
