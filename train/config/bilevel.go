package config

import (
	"math/rand/v2"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
)

// Objective returns the settings of the configured loss.
func (c *Config) Objective() (bilevel.Settings, error) {
	value, err := c.Inference()
	if err != nil {
		return bilevel.Settings{}, err
	}
	s := bilevel.Settings{
		Loss: bilevel.LossName(c.Loss), Value: value, Draws: c.Neural.Samples,
		Lagrangian: c.Bilevel, Regularizer: c.Symbolic.Regularizer,
	}
	if c.Training.SumLoss {
		s.Reduction = bilevel.Sum
	}
	if c.Neural.Samples <= 1 {
		s.ConstraintDraws = 1 // there is one draw
	}
	return s, nil
}

// Inference returns the options of every inference.
func (c *Config) Inference() (bilevel.Options, error) {
	method, err := infer.New(c.Symbolic.Solver)
	if err != nil {
		return bilevel.Options{}, Usage("solver", "%v", err)
	}
	// Feasibility far beyond the gap would be most of the work of first-order methods.
	o := bilevel.Options{Epsilon: c.Symbolic.Epsilon, Check: c.Symbolic.Check, DrawTemperature: c.Neural.DrawTemperature, Solver: infer.Settings{Method: method}}
	if gap := c.Symbolic.Gap; gap > 0 {
		exact := min(max(gap, 1e-9), 1e-6)
		// Many targets each as far from stationary as is allowed add up to a gap of the outside check.
		o.Solver.GapAbsolute, o.Solver.FeasibilityTolerance, o.Solver.StationarityTolerance = gap, exact, max(exact, min(1e-7, 10*gap))
	}
	return o, nil
}

// validateBilevel reports the first setting of the section bilevel that makes no sense.
func (c *Config) validateBilevel() error {
	b, fixed := &c.Bilevel, c.Training.FixedBatches
	if b.Constraint == bilevel.ConstraintBatch && !fixed && bilevel.LossName(c.Loss).Bilevel() {
		return Usage("bilevel.constraint", "one constraint a batch needs training.fixed-batches")
	}
	if b.ConstraintSamples > 0 && fixed {
		return Usage("bilevel.samples", "%d examples of a batch that is always the same: set training.fixed-batches = false", b.ConstraintSamples)
	}
	if l := bilevel.LossName(c.Loss); !l.Bilevel() && l != bilevel.LossAnswer {
		return nil
	}
	s, err := c.Objective()
	if err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return Usage("bilevel", "%v", err)
	}
	return nil
}

// Batches returns the batches of an epoch: a permutation of the examples, a
// function of seed and epoch, cut into whole batches; the remainder waits for
// another epoch. With fixed batches only their order is permuted, and a remainder is
// never learned from. With shards each batch has its examples by shard, as many of each:
// example e belongs to shard e mod Shards.
func (c *Config) Batches(examples, epoch int) [][]int {
	const orderStream = 0x6f72646572 // "order"
	stream := func(epoch int) *rand.Rand {
		return rand.New(rand.NewPCG(c.Seed, orderStream+uint64(epoch)<<40))
	}
	pass, shards := c.Training.Pass(), make([][]int, c.Training.Parts())
	cut := func(order []int) (out [][]int) {
		clear(shards)
		for _, e := range order {
			shards[e%len(shards)] = append(shards[e%len(shards)], e)
		}
		for range len(order) / c.Training.Batch {
			batch := make([]int, 0, c.Training.Batch)
			for k := range shards {
				batch = append(batch, shards[k][:pass]...)
				shards[k] = shards[k][pass:]
			}
			out = append(out, batch)
		}
		return out
	}
	if !c.Training.FixedBatches {
		return cut(stream(epoch).Perm(examples))
	}
	fixed := cut(stream(0).Perm(examples))
	out := make([][]int, len(fixed))
	for i, k := range stream(epoch + 1).Perm(len(fixed)) {
		out[i] = fixed[k]
	}
	return out
}

// Sampling returns how logits become outputs.
func (c *Config) Sampling() nn.Sampling {
	n := &c.Neural
	return nn.Sampling{Draws: n.Samples, Spread: n.TemperatureSpread, Noise: n.NoiseSpread, NoisyTest: n.NoisyTest}
}
