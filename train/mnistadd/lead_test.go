package mnistadd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/chain"
	"hinge/data/mnist"
	"hinge/train"
)

// columnsOf returns the rules of d-digit numbers with the chain of one sum, of its leading
// k columns or (k = d) of all.
func columnsOf(t *testing.T, d, k, sum int, temperature float64) (*Symbolic, []chain.Link, *chain.Chain) {
	t.Helper()
	sym, err := NewSymbolic(d, "")
	if err != nil {
		t.Fatal(err)
	}
	links, states, err := chain.Columns(sym.addition(), func(int) []int { return mnist.NewSum(sum, d) })
	if err != nil {
		t.Fatal(err)
	}
	if k < d {
		links, states = leading(links, states, k)
	}
	c, err := chain.New(links, states, sym.Template.Rules, 1, 20*k, temperature)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load([]int{0}); err != nil {
		t.Fatal(err)
	}
	return sym, links, c
}

// TestLeading: the free energy of leading columns is the sum over their digits and
// carries, the one that comes in among them, by the tables of the rules.
func TestLeading(t *testing.T) {
	const temperature = 0.05
	sym, links, c := columnsOf(t, 4, 2, 12561, temperature)
	g, w := randomOutputs(rand.New(rand.NewPCG(1, 9)), 4, 2), sym.Weights()
	if err := c.Evaluate(w, g); err != nil {
		t.Fatal(err)
	}
	var phi [2][]float64
	for l := range phi {
		table, err := links[l].Table(0)
		if err != nil {
			t.Fatal(err)
		}
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
	if want := -temperature * math.Log(sum); math.Abs(c.Values()[0]-want) > 1e-12 {
		t.Errorf("F = %v, by its definition %v", c.Values()[0], want)
	}
}

// TestLeadingDigits: 57.. + 68.. = 125.. costs nothing with either carry from below, and
// digits that need another one do.
func TestLeadingDigits(t *testing.T) {
	sym, _, c := columnsOf(t, 4, 2, 12561, 0.01)
	for _, x := range []struct {
		digits [4]int
		right  bool
	}{{[4]int{5, 7, 6, 8}, true}, {[4]int{5, 6, 6, 8}, true}, {[4]int{5, 5, 6, 8}, false}, {[4]int{5, 7, 6, 9}, false}, {[4]int{0, 2, 1, 3}, false}} {
		g := make([]float64, 40)
		for i, d := range x.digits {
			g[10*i+d] = 1
		}
		if err := c.Evaluate(sym.Weights(), g); err != nil {
			t.Fatal(err)
		}
		if f := c.Values()[0]; (math.Abs(f) < 0.01) != x.right {
			t.Errorf("digits %v: F = %v", x.digits, f)
		}
	}
}

// TestUniformOutputs: why long numbers begin with leading columns. Where nothing is known
// of any digit, the gradient tells the digits of the leading column apart, and those of
// inner ones hardly.
func TestUniformOutputs(t *testing.T) {
	const d = 8
	sym, _, c := columnsOf(t, d, d, 123456789, 0.05)
	g := slices.Repeat([]float64{0.1}, 20*d)
	if err := c.Evaluate(sym.Weights(), g); err != nil {
		t.Fatal(err)
	}
	dg := make([]float64, len(g))
	c.DeepGradient([]float64{1}, dg)
	spread := func(image int) float64 { return slices.Max(dg[10*image:][:10]) - slices.Min(dg[10*image:][:10]) }
	for i := range d {
		t.Logf("column %d from the top: spread %.2g", i, spread(i))
	}
	if first := spread(0); first < 0.05 || spread(d/2) > first/10 {
		t.Errorf("spread %v of the leading digit, %v of an inner one", first, spread(d/2))
	}
}

// TestLead: a run on three digits whose beginning learns from two of them sees the
// images of as many additions, and after it those of its batch.
func TestLeadImages(t *testing.T) {
	d := &lead{columns: 2, digits: 3}
	if got := d.images([]int32{9}, []int32{10, 11, 12, 20, 21, 22}); !slices.Equal(got, []int32{9, 10, 11, 20, 21}) {
		t.Errorf("images %v", got)
	}
	cfg := SystemDefaults("neupsl", "mnist-add4", ChainLoss, "best", 20)
	o := OptionsOf(&cfg)
	o.Network, o.Lead, o.LeadColumns = "lenet", 0.5, 2
	cfg.Training.Batch = 2
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	model, err := Task{}.Open(cfg, "")
	if err != nil {
		t.Fatal(err)
	}
	m := model.(*Model)
	for progress, own := range map[float64]bool{0: false, 0.4: false, 0.5: true, 1: true} {
		step := train.Step{Number: 3, Progress: progress, Temperature: 1}
		work, err := m.Gradient(step, []int{4, 5})
		if err != nil || !(work.Loss > 0) {
			t.Fatalf("loss %v: %v", work.Loss, err)
		}
		x, err := m.TrainingInputs(step, []int{4, 5})
		if err != nil {
			t.Fatal(err)
		}
		whole := m.part.Pixels(m.images(train.TrainPart, []int{4, 5}), mustRamp(t, m, progress), step.Stream())
		if len(x) != len(whole) || slices.Equal(x, whole) != own {
			t.Errorf("at %v of the run: %d numbers of %d, of the batch itself: %v", progress, len(x), len(whole), slices.Equal(x, whole))
		}
	}
}

func mustRamp(t *testing.T, m *Model, progress float64) *mnist.Augmenter {
	t.Helper()
	aug, err := m.aug.Ramped(progress, m.reader.cfg.Neural.AugmentRamp)
	if err != nil {
		t.Fatal(err)
	}
	return aug
}
