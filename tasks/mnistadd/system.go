package mnistadd

import (
	"hinge/train/config"
)

// useSystem turns the defaults of NeuPSL (see Defaults) into the defaults of the given
// system; digits is as for Defaults.
//
// In the recipe "paper" the systems differ only in the loss: network, optimiser, budget and
// the stop rule are NeuPSL's, without Gumbel noise, which the other systems do not have, and
// without augmentation. Only LTN has its own budget. Its exponent is a schedule over the run
// (ltn.Exponent), so the run must not be cut short. It has no penalty on the weights, which
// would dominate as long as the truth of a sum, and with it its gradient, is small. With many
// images its steps are smaller.
//
// In "best" they have the budget of NeuPSL's Energy and need no samples. All but LTN have the
// full augmentation from the start. LTN's truth of a sum is a product of small numbers, not
// their logarithm, and left chance only if it began on plain images.
func useSystem(c *config.Config, system string, digits int) {
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
