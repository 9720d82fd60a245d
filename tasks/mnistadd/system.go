package mnistadd

import "hinge/train"

// UseSystem turns the defaults of NeuPSL (see Defaults) into the defaults of the given
// system; digits is as for Defaults.
//
// In the recipe "paper" the systems differ in nothing but the loss: network,
// optimiser, budget and the stop rule are NeuPSL's, without Gumbel noise, which
// is no part of them, and without augmentation. LTN alone takes its own budget: its
// exponent is a schedule over the run (ltn.Exponent), so the run must not be cut
// short; as the truth of a sum is small at first, and its gradient with it, a
// penalty on the weights would be all that is learned from; and with many images
// its steps are smaller.
//
// In "best" they have the budget of NeuPSL's Energy, need no samples, and all but LTN
// take the full augmentation from the start: its truth of a sum is a product of small numbers, not their logarithm,
// and was not seen to leave chance but where it began on plain images.
func UseSystem(c *train.Config, system string, digits int) {
	c.System = system
	if c.NeuPSL() {
		if digits > 2 && c.Recipe != "paper" && c.Loss != ChainLoss {
			singleColumns(c, digits)
		}
		return
	}
	n := &c.Neural
	n.Samples, n.DrawTemperature, n.NoisyTest, n.TestTemperature, n.TemperatureDecay = 0, 0, false, 1, 0
	n.TemperatureSpread, n.NoiseSpread = 0, 0
	large := OptionsOf(c).Additions*2*digits > 2000
	if c.Recipe == "paper" {
		if system == "ltn" {
			n.WeightDecay = 0
			c.Training.Patience, c.Training.Epochs = 0, 100
			if large {
				c.Training.Epochs = 20 // as published
				// At 1e-3 some splits were seen to stay near chance.
				n.LearningRate = 1e-4
			}
		}
		return
	}
	if system != "ltn" {
		n.AugmentRamp = 0
	}
}
