package train

// Defaults returns the configuration of a task of the MNIST-Addition family:
// digits is the number of digits a summand has (1 or 2). Loss, recipe and size
// decide everything else; the caller overlays a file and flags.
//
// The recipe "best" uses the information the paper's models use (the sum and
// its place digits, never a digit label) with light augmentation, K Gumbel
// samples a forward pass and averaged weights instead of contrastive
// pre-training. The recipe "paper" has the published settings; as pre-training
// is a task of its own it starts from random weights.
func Defaults(digits int, loss, recipe string, additions int) Config {
	c := Config{
		Loss: loss, Recipe: recipe, Additions: additions,
		Training: Training{Batch: 32, ValidEvery: 5, Keep: 2},
		Neural: Neural{
			LearningRate: 1e-3, Schedule: "constant", ClipNorm: 3,
			TemperatureMin: 0.5, TestTemperature: 1, Pretrain: "none",
		},
		Symbolic: Symbolic{Solver: "bcd", Epsilon: 1e-3, Gap: 1e-6, MirrorStep: 1e-14, Log: 1e-3},
	}
	if recipe == "paper" {
		c.paper(digits)
	} else {
		c.best(digits, additions)
	}
	return c
}

// paper: one Gumbel sample, also at test; no augmentation, no averaging.
func (c *Config) paper(digits int) {
	// Budget and stop rules count epochs there: validation every 5, patience 50.
	perEpoch := max(1, c.Additions/c.Training.Batch)
	c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience = 500, 5*perEpoch, 50*perEpoch
	c.Neural.Samples, c.Neural.NoisyTest, c.Neural.TestTemperature = 1, true, 0.5
	c.Neural.WeightDecay, c.Neural.TemperatureDecay = 1e-6, 1e-3
	c.Symbolic.Gap = 1e-3
	if digits > 1 {
		c.Neural.WeightDecay, c.Neural.TemperatureDecay = 1e-4, 1e-5
	}
}

// best: what was found to learn reliably from random weights. More data needs
// fewer epochs and, as every step averages over more variety, fewer samples.
func (c *Config) best(digits, additions int) {
	n := &c.Neural
	n.Schedule, n.Warmup = "cosine", 5
	n.WeightDecay, n.Decoupled = 0.05, true
	n.Average, n.Augment = 0.99, true
	n.Samples, n.TemperatureDecay = 32, 1e-3
	// Steps are what counts: with four images an addition an epoch has half as
	// many.
	c.Training.Epochs = 60 * digits
	if additions*2*digits > 2000 {
		n.Warmup, n.Average, n.Samples = 2, 0.998, 8
		c.Training.Epochs = 30
	}
}
