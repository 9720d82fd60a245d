package config

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
	err := c.Decode("", []byte("[symbolic]\nmethod = 'projected'\nmirror-step = 0.5\nshrink-step = true\nclip = -1.0\nlog-regularizer = 1.0\nentropy-regularizer = 2.0\nl2-regularizer = 3.0\n"))
	want := optim.WeightOptions{Method: "projected", Step: 0.5, Shrink: true, MaxNorm: -1, Regularizer: optim.Regularizer{NegLog: 1, Entropy: 2, L2: 3}}
	if got := c.Symbolic.WeightOptions; err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
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
