package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
)

// TestBilevelValidation: bad settings are usage errors, and only looked at by
// the losses that have them.
func TestBilevelValidation(t *testing.T) {
	for want, breakIt := range map[string]func(*Config){
		"one constraint a batch needs": func(c *Config) { c.Bilevel.Constraint = "batch" },
		"none of sample, batch":        func(c *Config) { c.Bilevel.Constraint = "epoch" },
		"bilevel.prox-weight":          func(c *Config) { c.Bilevel.ProxWeight = -1 },
		"ConstraintDraws":              func(c *Config) { c.Bilevel.ConstraintDraws = 1000 },
		"bilevel.samples: -1":          func(c *Config) { c.Bilevel.ConstraintSamples = -1 },
		"bilevel.samples":              func(c *Config) { c.Training.FixedBatches, c.Bilevel.ConstraintSamples = true, 2 },
		"mirror, projected":            func(c *Config) { c.Symbolic.Method = "newton" },
		"symbolic.l2-regularizer":      func(c *Config) { c.Symbolic.L2 = -1 },
		"symbolic.clip":                func(c *Config) { c.Symbolic.MaxNorm = math.NaN() },
	} {
		c := Defaults(Config{Loss: "bce"})
		breakIt(&c)
		var u *UsageError
		if err := c.Validate(); !errors.As(err, &u) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a UsageError with %q", err, want)
		}
	}
	c := Defaults(Config{})
	c.Bilevel = bilevel.Lagrangian{Constraint: bilevel.ConstraintBatch}
	assert.NoError(t, c.Validate(), "the energy loss, which has no constraints")
}

// TestWeightOptions: the settings of the step on rule weights keep their names in files, in
// those of earlier versions too, and reach the method.
func TestWeightOptions(t *testing.T) {
	c := Defaults(Config{})
	err := c.decode("", []byte("[symbolic]\nmethod = 'projected'\nmirror-step = 0.5\nshrink-step = true\nclip = -1.0\nlog-regularizer = 1.0\nentropy-regularizer = 2.0\nl2-regularizer = 3.0\n"))
	want := optim.WeightOptions{Method: "projected", Step: 0.5, Shrink: true, MaxNorm: -1, Regularizer: optim.Regularizer{NegLog: 1, Entropy: 2, L2: 3}}
	if m, ok := c.Symbolic.New().(*optim.ProjectedGradient); err != nil || !ok || m.WeightOptions != want {
		t.Errorf("got %+v, %v", c.Symbolic.New(), err)
	}
	c.Symbolic.Method = optim.Gradient
	_, err = NewNeuPSL(c, Setup{})
	assert.ErrorContains(t, err, "symbolic.method", "a method that leaves the simplex, beside networks")
}

// TestBatches: every example at most once an epoch, other batches each epoch,
// and with fixed batches the same in another order.
func TestBatches(t *testing.T) {
	const examples = 50
	c := Config{Seed: 3, Training: Training{Batch: 4}}
	for _, fixed := range []bool{false, true} {
		c.Training.FixedBatches = fixed
		first := make(map[int][]int)
		changed, reordered := false, false
		for epoch := range 4 {
			batches := c.Batches(examples, epoch)
			if len(batches) != examples/4 {
				t.Fatalf("%d batches", len(batches))
			}
			seen := make(map[int]bool)
			for n, batch := range batches {
				for _, e := range batch {
					if seen[e] || e < 0 || e >= examples {
						t.Fatalf("example %d twice or out of range", e)
					}
					seen[e] = true
				}
				if epoch == 0 {
					first[batch[0]] = batch
				} else if !slices.Equal(first[batch[0]], batch) {
					changed = true
				}
				if epoch > 0 && !slices.Equal(batch, c.Batches(examples, 0)[n]) {
					reordered = true
				}
			}
			if !slices.EqualFunc(batches, c.Batches(examples, epoch), slices.Equal[[]int]) {
				t.Error("two calls, two orders")
			}
		}
		if changed == fixed || !reordered {
			t.Errorf("fixed %v: batches changed %v, reordered %v", fixed, changed, reordered)
		}
	}
}

// ender is a toy that ends the run after some epochs.
type ender struct {
	*toy
	epochs, last int
	norms        []float64
}

func (e *ender) Loss() LossHalf { return e }

func (e *ender) EndEpoch(norm float64) (bilevel.Outcome, error) {
	e.epochs++
	e.norms = append(e.norms, norm)
	if e.epochs > 5 {
		return bilevel.Outcome{}, errors.New("past the end")
	}
	return bilevel.Outcome{Epoch: e.epochs, Tested: e.epochs > 1, Done: e.epochs == e.last}, nil
}

func (e *ender) Rules() []Rule {
	return []Rule{{Text: "a", Weight: e.w[0], Satisfaction: 0.5, Gradient: e.dw[0]}, {Text: "b", Weight: e.w[1]}}
}

// TestEpochEnder: the model hears of the end of every epoch, its outcome is
// recorded, and it can end the run, for good.
func TestEpochEnder(t *testing.T) {
	dir := t.TempDir()
	c := toyConfig() // 3 steps an epoch
	c.Training.ValidEvery = 100
	m := &ender{toy: newToy(1), last: 4}
	res := ran(t, c, m, Options{Dir: dir})
	if res.Steps != 12 || m.epochs != 4 || slices.Contains(m.norms, 0) {
		t.Errorf("%d steps, %d epochs, norms %v; want 12 steps of 4 epochs", res.Steps, m.epochs, m.norms)
	}
	outcomes, valid := 0, 0
	for _, line := range metrics(t, dir) {
		if line.Outcome != nil {
			outcomes++
			assert.Equalf(t, 0, line.Step%3, "an outcome at step %d", line.Step)
		}
		if line.Split == ValidPart {
			valid++
			if line.Step != 12 || len(line.Rules) != 2 || line.Rules[0].Satisfaction != 0.5 {
				t.Errorf("validation %+v", line)
			}
		}
	}
	if outcomes != 3 || valid != 1 {
		t.Errorf("%d outcomes and %d validations recorded, want 3 and 1", outcomes, valid)
	}
	if len(res.Rules) != 2 || res.Rules[1].Text != "b" {
		t.Errorf("rules in the result: %+v", res.Rules)
	}
	// The end is part of the state: there is nothing to go on with.
	again := &ender{toy: newToy(1), last: 4}
	if res := ran(t, c, again, Options{Dir: dir, Resume: true}); res.Steps != 12 || again.epochs != 0 {
		t.Errorf("resumed to step %d after %d epochs", res.Steps, again.epochs)
	}
	failing := &ender{toy: newToy(1), epochs: 5}
	_, err := Run(context.Background(), c, failing, Options{Dir: t.TempDir()})
	assert.ErrorContains(t, err, "past the end")
}

func TestWriteRules(t *testing.T) {
	var b strings.Builder
	share := 0.25
	rules := func(start float64) []Rule {
		return []Rule{
			{Text: "p -> q", Start: start, Weight: 0.25, Satisfaction: 0.975, Active: &share, ActiveSatisfaction: 0.9, Gradient: -0.031},
			{Text: "q", Start: 3 * start, Weight: 0.75, Satisfaction: 1, Gradient: 12},
		}
	}
	want := "  weight  satisfaction  active  of active  gradient  rule\n" +
		"  0.2500        0.9750  0.2500     0.9000    -0.031  p -> q\n" +
		"  0.7500        1.0000                           12  q\n"
	for _, start := range []float64{0, 0.25} { // of an earlier version, and frozen
		b.Reset()
		require.NoError(t, WriteRules(&b, rules(start)))
		assert.Equal(t, want, b.String())
	}
	b.Reset()
	require.NoError(t, WriteRules(&b, rules(0.5)[:1]))
	assert.Equal(t, "   start  weight  satisfaction  active  of active  gradient  rule\n  0.5000  0.2500        0.9750  0.2500     0.9000    -0.031  p -> q\n", b.String())
	b.Reset()
	if err := WriteRules(&b, nil); err != nil || b.Len() > 0 {
		t.Errorf("no rules give %q, %v", b.String(), err)
	}
}
