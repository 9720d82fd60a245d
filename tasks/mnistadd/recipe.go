package mnistadd

import (
	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/config"
)

// Defaults returns the configuration of a task of the MNIST-Addition family:
// digits is the number of digits a summand has. Loss, recipe and size
// decide everything else; the caller overlays a file and flags.
//
// The recipe "best" uses the information the paper's models use (the sum and
// its place digits, never a digit label) with augmentation, soft minima of the
// energy, averaged weights and averaged views at test instead of contrastive
// pre-training; the last weights are tested. The recipe "paper" has the published
// settings; it begins with their contrastive pre-training on the training images.
func Defaults(digits int, loss, recipe string, additions int) config.Config {
	c := config.Config{
		Loss: loss, Recipe: recipe, Options: &Options{Additions: additions},
		Training: config.Training{Batch: 32, ValidEvery: 5, Keep: 2},
		Neural: config.Neural{
			LearningRate: 1e-3, Schedule: "constant", ClipNorm: 3,
			TemperatureMin: 0.5, TestTemperature: 1,
			Augment: "none", ViewStrength: 0.5, Pretrain: "none",
		},
		Symbolic: config.Symbolic{Solver: "auto", Epsilon: 1e-3, Gap: 1e-6, WeightOptions: optim.WeightOptions{Step: 1e-14, Regularizer: optim.Regularizer{NegLog: 1e-3}}},
	}
	if recipe == "paper" {
		paper(&c, digits, additions)
	} else {
		best(&c, digits, additions)
	}
	return c
}

// paper: one Gumbel sample, also at test; no augmentation, no averaging.
func paper(c *config.Config, digits, additions int) {
	// Budget and stop rules count epochs there: validation every 5, and whether more
	// than 50 went by without an improvement is asked after validations only.
	c.Training.Batch = evenBatch(additions, c.Training.Batch)
	perEpoch := max(1, additions/c.Training.Batch)
	c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience = 500, 5*perEpoch, 55*perEpoch-1
	c.Training.FixedBatches, c.Training.SumLoss = true, true
	c.Neural.Samples, c.Neural.NoisyTest, c.Neural.TestTemperature = 1, true, 0.5
	c.Neural.WeightDecay, c.Neural.TemperatureDecay = 1e-6, 1e-3
	c.Neural.Channels, c.Neural.Pretrain = 3, "simclr"
	c.Symbolic.Gap = 1e-3
	if digits > 1 {
		c.Neural.WeightDecay, c.Neural.TemperatureDecay = 1e-4, 1e-5
	}
	c.Bilevel = bilevel.Lagrangian{ProxWeight: 1e-2, EnergyCoefficient: 10, PointStep: 1e-3}
	c.Bilevel.Reference()
	if digits > 1 && bilevel.LossName(c.Loss).Bilevel() {
		c.Neural.LearningRate, c.Neural.TemperatureDecay = 1e-4, 1e-3
		c.Bilevel.ProxWeight = 1e-3
	}
}

// evenBatch is the batch, between half of most and most, that leaves the fewest
// examples out, the largest of them: 30 for the sizes of the table. The published
// batches are of 32 and one of what remains; batches have one size here, and the
// remainder of fixed batches would never be learned from.
func evenBatch(examples, most int) int {
	if examples <= most {
		return max(1, examples)
	}
	best := most
	for b := most - 1; b >= (most+1)/2; b-- {
		if examples%b < examples%best {
			best = b
		}
	}
	return best
}

// best sets the settings that were found to learn reliably from random weights.
//
// The linear hinges of two-digit sums hold uniform outputs in place: the least energy over
// carries between 0 and 1 is flat there. So the value function is taken at K Gumbel samples a
// forward pass, and the loss is the soft minimum over these, which follows the samples that
// agree with the sum. Their temperatures go up to three times the lowest: with cold samples
// alone, some additions of the training set were never fitted, as their digits were read
// wrongly with confidence. Distortion grows over the first half of the run, as outputs become
// sharp sooner on plain images.
//
// More data needs fewer epochs and, as every step averages over more variety, fewer samples.
// Four digits need more: samples of a confident network seldom agree with a sum that it reads
// wrongly. So the noise grows up to threefold too, samples are many, and a soft minimum close
// to the least value follows the few that agree.
//
// The other losses have the settings of Energy, so that they differ in the loss alone. The
// free energy of chains takes outputs as they are, and so no samples; of long numbers it
// learns by windows, and begins with the leading columns (see windows and lead).
//
// On more than two digits NeuPSL's other losses learn by windows of one column, also begun
// with the leading ones. Draws of whole additions hardly ever agree with the label, and a soft
// minimum over them left the outputs soft. A column has a hundred readings; a tenth of them
// agree with a label whose carries are known, and a fifth if they are not.
//
// Rule weights move from the second quarter of the run on, when digits are read. Before that,
// the rules that teach reading are broken most; they would lose their weight, and nothing else
// would teach in their place. A rule that labels break by at most half an example on average keeps
// its weight: of the rules of addition, which are all true, no batch was seen to break one by more
// than .4. Rules that may be wrong need another setting (examples/noisy-rules). The regulariser holds the weights near each other. Step, start,
// regulariser and dead zone were chosen for Energy of up to two digits; the other losses, whose
// gradients have other scales, freeze the weights.
func best(c *config.Config, digits, additions int) {
	n := &c.Neural
	n.Schedule, n.Warmup = "cosine", 5
	n.WeightDecay, n.Decoupled = 0.05, true
	n.Average, n.Augment, n.AugmentRamp, n.Views = 0.99, "strong", 0.5, 8
	c.Training.LastWeights = true
	n.Samples, n.DrawTemperature, n.TemperatureDecay = 32, 0.05, 1e-3
	// Sixty images a batch: ten steps an epoch at 600 images.
	c.Training.Batch, c.Training.Epochs = max(1, min(30/digits, additions)), 100
	n.TemperatureSpread = 3
	if additions*2*digits > 2000 {
		n.Warmup, n.Average, c.Training.Epochs = 2, 0.998, 30
		n.Samples = 16
		if digits == 2 && c.Loss != ChainLoss {
			n.Samples, n.DrawTemperature, n.NoiseSpread = 64, 0.02, 3
		}
	}
	if additions*2*digits > 20000 {
		n.Warmup, n.Average = 1, 0.999
		c.Training.Epochs = 10
	}
	if c.Loss == ChainLoss {
		n.Samples, n.TemperatureSpread = 0, 0
		o := OptionsOf(c)
		pass := c.Training.Batch * digits
		if o.WindowColumns = windowColumns(digits); o.WindowColumns > 0 {
			pass = c.Training.Batch * o.WindowColumns
		}
		if o.LeadColumns = leadColumns(digits, pass, additions); o.LeadColumns > 0 {
			o.Lead = 0.1
		}
	}
	c.Bilevel = bilevel.Lagrangian{
		ProxWeight: 1e-2, EnergyCoefficient: 10, PointStep: 1e-2, ConstraintDraws: 2, InitialMultiplier: 0.1, TestEvery: 5,
		Stationarity: bilevel.StationarityMovement,
	}
	constrainSome(c)
	if bilevel.LossName(c.Loss).Kind().Rows {
		// All states, no draws, and a softmax of temperature 1, as the likelihood has. It
		// leaves outputs soft for digits that are hard to read. Linear rules then balance
		// beliefs that the likelihood multiplies; with sharper outputs the MAP state is the
		// state of the likeliest digits.
		n.Samples, n.TemperatureSpread, n.NoiseSpread = 0, 0, 0
		n.TemperatureDecay, n.TestTemperature = 0, 0.25
	}
	if s := &c.Symbolic; c.Loss == string(bilevel.LossEnergy) {
		s.After, s.Step, s.NegLog, s.DeadZone = 0.25, 0.05, 0.05, 0.5
	} else {
		s.FreezeRules = true
	}
	spreadValidations(c, additions)
}

// singleColumns makes the recipe "best" learn from windows of one column, begun with the
// leading ones. Rule weights are frozen, as no window has the rules of the ones column.
func singleColumns(c *config.Config, digits int) {
	o := OptionsOf(c)
	windows := o.Additions * digits
	o.WindowColumns, c.Training.Batch = 1, min(30, windows)
	if c.Training.Batch <= o.Additions {
		o.Lead, o.LeadColumns = 0.1, 1
	}
	if c.Neural.Samples > 0 {
		c.Neural.NoiseSpread = 3 // without it Energy learned nothing at a hundred digits
	}
	c.Symbolic.FreezeRules, c.Symbolic.After = true, 0
	constrainSome(c)
	spreadValidations(c, windows)
}

// constrainSome lets a fifteenth of each batch, at one draw, represent the whole batch in the
// problems without labels, if their inference costs more than everything else.
func constrainSome(c *config.Config) {
	if bilevel.LossName(c.Loss).Kind().Unlabelled {
		c.Bilevel.ConstraintDraws, c.Bilevel.ConstraintSamples = 1, (c.Training.Batch+14)/15
	}
}

// validations is how often a run of the recipe "best" validates, to show how it
// goes.
const validations = 4

func spreadValidations(c *config.Config, examples int) {
	steps := c.Training.Epochs * max(1, examples/c.Training.Batch)
	c.Training.ValidEvery = max(1, steps/validations)
}
