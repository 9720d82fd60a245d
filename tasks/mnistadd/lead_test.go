package mnistadd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"

	"hinge/data/mnist"
	"hinge/tasks/mnistadd/chain"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
)

// columnsOf returns the rules of d-digit numbers with the chain of one sum, of its leading
// k columns or (k = d) of all.
func columnsOf(t *testing.T, d, k, sum int, temperature float64) (*Symbolic, []chain.Link, *chain.Chain) {
	t.Helper()
	sym, err := NewSymbolic(d, "")
	require.NoError(t, err)
	whole, err := chain.Columns(sym.addition(), func(int) []int { return mnist.NewSum(sum, d) })
	require.NoError(t, err)
	w := windows{d, k}
	c, err := w.chain(whole, sym.Template.Rules, 1, temperature)
	require.NoError(t, err)
	require.NoError(t, c.Load([]int{0}))
	return sym, whole.Links[d-k:], c
}

// TestLeading: the free energy of leading columns is the sum over their digits and
// carries, the one that comes in among them, by the tables of the rules.
func TestLeading(t *testing.T) {
	const temperature = 0.05
	sym, links, c := columnsOf(t, 4, 2, 12561, temperature)
	g, w := randomOutputs(rand.New(rand.NewPCG(1, 9)), 4, 2), startWeights(sym)
	require.NoError(t, c.Evaluate(w, g))
	var phi [2][]float64
	for l := range phi {
		table, err := links[l].Table(0)
		require.NoError(t, err)
		phi[l] = table.Phi
	}
	column := func(l, row int, first, second []float64) (sum float64) {
		for x, p := range first {
			for y, q := range second {
				e := 0.0
				for r, v := range phi[l][(row*100+10*x+y)*len(w):][:len(w)] {
					e += w[r] * v
				}
				sum += p * q * math.Exp(-e/temperature)
			}
		}
		return sum
	}
	sum := 0.0
	for in := range 2 {
		for between := range 2 { // images 0 and 1, then 2 and 3, each from the leading digit
			sum += column(0, 2*in+between, g[10:20], g[30:40]) * column(1, between, g[:10], g[20:30])
		}
	}
	assert.InDelta(t, -temperature*math.Log(sum), c.Values()[0], 1e-12)
	dg := make([]float64, len(g))
	c.DeepGradient([]float64{1}, dg)
	want := fd.Gradient(nil, func(g []float64) float64 {
		require.NoError(t, c.Evaluate(w, g))
		return c.Values()[0]
	}, g, &fd.Settings{Formula: fd.Central})
	assert.InDeltaSlice(t, want, dg, 1e-7)
}

// TestLeadColumns: the default begins with ten columns where there are enough additions, with
// more where there are few, and not at all where no number of columns fits.
func TestLeadColumns(t *testing.T) {
	for _, c := range []struct{ digits, batch, additions, want int }{
		{100, 1, 300, 10}, {200, 1, 150, 10}, {500, 1, 60, 10}, {100, 1, 3, 50}, {100, 4, 7, 0}, {22, 1, 9, 11}, {23, 1, 9, 0}, {20, 1, 900, 0},
	} {
		assert.Equalf(t, c.want, leadColumns(c.digits, c.batch*c.digits, c.additions), "%+v", c)
		if cfg := SystemDefaults("neupsl", fmt.Sprintf("mnist-add%d", c.digits), ChainLoss, "best", c.additions); cfg.Validate() != nil {
			t.Errorf("%+v: %v", c, cfg.Validate())
		}
	}
	refuses(t, "mnist-add100", 300, map[string]func(c *config.Config, o *Options){
		"lead: 0 is not a share":               func(_ *config.Config, o *Options) { o.Lead = 0 },
		"lead: 1.5 is not in [0, 1]":           func(_ *config.Config, o *Options) { o.Lead = 1.5 },
		"lead-columns: 7 columns of numbers":   func(_ *config.Config, o *Options) { o.LeadColumns = 7 },
		"lead-columns: 100 columns of numbers": func(_ *config.Config, o *Options) { o.LeadColumns = 100 },
		"set at least 10 columns":              func(c *config.Config, o *Options) { c.Training.Batch, o.LeadColumns = 30, 5 },
		"lead-columns: 25 columns for passes":  func(_ *config.Config, o *Options) { o.WindowColumns, o.LeadColumns = 20, 25 },
		"begins with leading windows":          func(c *config.Config, _ *Options) { c.Loss = "energy" },
	})
}

// refuses changes the defaults of the chain loss in ways that make no sense, each with the
// words that the error of use has.
func refuses(t *testing.T, task string, additions int, changes map[string]func(c *config.Config, o *Options)) {
	t.Helper()
	for want, change := range changes {
		c := SystemDefaults("neupsl", task, ChainLoss, "best", additions)
		change(&c, OptionsOf(&c))
		if err := c.Validate(); train.ExitCode(err) != exit.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one of use with %q", err, want)
		}
	}
}

// TestLeadImages: a run on four digits whose beginning learns from two of them sees the
// images of as many additions, and after it those of its batch.
func TestLeadImages(t *testing.T) {
	cfg := SystemDefaults("neupsl", "mnist-add4", ChainLoss, "best", 20)
	o := OptionsOf(&cfg)
	o.Network, o.Lead, o.LeadColumns = "lenet", 0.5, 2
	cfg.Training.Batch = 2
	require.NoError(t, cfg.Validate())
	model, err := Task{}.Open(cfg, "")
	require.NoError(t, err)
	m := model.(*Model)
	batch := []int{4, 5}
	first := m.lead.choose(learning.Step{Number: 7}, batch)
	require.Len(t, first, 4)
	require.NotEqual(t, first, m.lead.choose(learning.Step{Number: 8}, batch), "the next step has the same windows")
	for _, e := range first { // numbers that follow those of the 20 additions
		row := m.split.Train.Row(e - 20)
		require.Equal(t, []int32{row[0], row[1], row[4], row[5]}, m.images(learning.TrainPart, []int{e}), "the leading columns of addition %d", e-20)
	}
	for progress, own := range map[float64]bool{0: false, 0.4: false, 0.5: true, 1: true} {
		step := learning.Step{Number: 3, Progress: progress, Temperature: 1}
		work, err := m.Gradient(step, batch)
		if err != nil || !(work.Loss > 0) {
			t.Fatalf("loss %v: %v", work.Loss, err)
		}
		x, err := m.TrainingInputs(step, m.lead.choose(step, batch))
		require.NoError(t, err)
		whole := m.part.Pixels(m.images(learning.TrainPart, batch), mustRamp(t, m, progress), step.Stream())
		if len(x) != len(whole) || slices.Equal(x, whole) != own {
			t.Errorf("at %v of the run: %d numbers of %d, of the batch itself: %v", progress, len(x), len(whole), slices.Equal(x, whole))
		}
	}
}

func mustRamp(t *testing.T, m *Model, progress float64) *mnist.Augmenter {
	t.Helper()
	aug, err := m.aug.Ramped(progress, m.reader.cfg.Neural.AugmentRamp)
	require.NoError(t, err)
	return aug
}
