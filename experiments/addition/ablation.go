package addition

import (
	"fmt"

	"hinge/internal/tables"
	"hinge/train"
	"hinge/train/mnistadd"
)

// variant is a change of the recipe "best".
type variant struct {
	name   string
	change func(*train.Config)
}

// variants are those of the Energy loss, variantsBCE those of BCE.
var variants = []variant{
	recipe,
	{"the plain image at test", func(c *train.Config) { c.Neural.Views = 0 }},
	{"the best weights on validation", func(c *train.Config) { c.Training.LastWeights = false }},
	{"no averaged weights", func(c *train.Config) { c.Neural.Average = 0 }},
	{"no augmentation", func(c *train.Config) { c.Neural.Augment, c.Neural.AugmentRamp, c.Neural.Views = "none", 0, 0 }},
	{"full augmentation from the start", func(c *train.Config) { c.Neural.AugmentRamp = 0 }},
	{"light augmentation", func(c *train.Config) { c.Neural.Augment = "light" }},
	{"soft minimum over 128 Gumbel samples", func(c *train.Config) { sample(c, 128) }},
	{"soft minimum over 8 Gumbel samples", func(c *train.Config) { sample(c, 8) }},
	{"1 Gumbel sample", func(c *train.Config) { sample(c, 1) }},
	{"softmax without noise", func(c *train.Config) { sample(c, 0) }},
	{"Gumbel noise at test", func(c *train.Config) { c.Neural.NoisyTest, c.Neural.TestTemperature = true, 0.5 }},
	{"mean over the samples", func(c *train.Config) {
		c.Neural.DrawTemperature = 0
	}},
	{"mean over the samples, light augmentation", func(c *train.Config) {
		c.Neural.DrawTemperature, c.Neural.Augment = 0, "light"
	}},
	temperature(0.02),
	{"batches of 32 additions", func(c *train.Config) { c.Training.Batch = 32 }},
	{"constant step", func(c *train.Config) { c.Neural.Schedule = "constant" }},
	{"pre-trained by SimCLR", func(c *train.Config) { c.Neural.Pretrain = "simclr" }},
	{"pre-trained mildly", func(c *train.Config) { c.Neural.Pretrain = "best" }},
	{"half the epochs", func(c *train.Config) { c.Training.Epochs /= 2 }},
	{"twice the epochs", func(c *train.Config) { c.Training.Epochs *= 2 }},
}

var variantsBCE = []variant{
	{"BCE: the recipe", func(*train.Config) {}},
	{"BCE: the constraints of whole batches", func(c *train.Config) { c.Bilevel.ConstraintSamples = 0 }},
	{"BCE: 32 Gumbel samples", func(c *train.Config) { c.Neural.Samples = 32 }},
	{"BCE: 8 Gumbel samples", func(c *train.Config) { c.Neural.Samples = 8 }},
}

// sample sets the number of Gumbel samples.
func sample(c *train.Config, n int) { c.Neural.Samples = n }

// draws, temperature and epochs are variants with one setting changed.
func draws(n int) variant {
	return variant{fmt.Sprintf("%d draws", n), func(c *train.Config) { sample(c, n) }}
}

func temperature(t float64) variant {
	return variant{fmt.Sprintf("soft minimum at temperature %v", t), func(c *train.Config) { c.Neural.DrawTemperature = t }}
}

// spread has another range of temperatures, for so many draws with 600 images and a
// quarter of them with more.
func spread(factor float64, n int) variant {
	name := fmt.Sprintf("%d draws at temperatures up to %v times the lowest", n, factor)
	if factor == 0 {
		name = fmt.Sprintf("%d draws at one temperature", n)
	}
	return variant{name, func(c *train.Config) {
		c.Neural.TemperatureSpread = factor
		if sample(c, n); mnistadd.OptionsOf(c).Additions > sizes[0].additions {
			sample(c, n/4)
		}
	}}
}

// ramp has the distortions grow over a share of the run.
func ramp(share float64) variant {
	return variant{fmt.Sprintf("distortion grows over %v of the run", share), func(c *train.Config) { c.Neural.AugmentRamp = share }}
}

// epochs is a budget for 600 images and one for more.
func epochs(small, large int) variant {
	return variant{fmt.Sprintf("%d epochs (%d at 6,000 images)", small, large), func(c *train.Config) {
		c.Training.Epochs = large
		if mnistadd.OptionsOf(c).Additions <= sizes[0].additions {
			c.Training.Epochs = small
		}
	}}
}

// Ablation changes the recipe "best" in one way a row, that of the Energy loss and
// that of BCE where they differ. The quick form has the first three variants on one
// split.
func Ablation(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "table6-ablation", Title: "What the recipe for MNIST-Addition is made of", Unit: "accuracy of the sum on validation (%)",
		Text: []string{"NeuPSL with the recipe *best*, changed in one way a row: with the Energy loss, below with BCE. Differences of a point or two are " +
			"within the sampling error of 500 or 250 additions; the further validation below tells more. No test addition is answered in these runs."},
	}
	splits, rows := []int{0, 1, 2}, map[string][]variant{"energy": variants, "bce": variantsBCE}
	if o.Quick {
		splits, rows = splits[:1], map[string][]variant{"energy": variants[:3]}
	}
	for _, loss := range []string{"energy", "bce"} {
		for _, v := range rows[loss] {
			for _, z := range []size{sizes[0], sizes[2]} {
				cfg := mnistadd.SystemDefaults("neupsl", z.task(), loss, "best", z.additions)
				v.change(&cfg)
				c, err := trial(o, v.name, z, splits, cfg)
				if err != nil {
					return nil, err
				}
				t.Cells = append(t.Cells, c)
			}
		}
	}
	return t, nil
}
