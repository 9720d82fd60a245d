package addition

import (
	"hinge/internal/tables"
	"hinge/train"
	"hinge/train/tasks"
)

// variant is a change of the recipe "best".
type variant struct {
	name   string
	change func(*train.Config)
}

// variants are those of the Energy loss, variantsBCE those of BCE.
var variants = []variant{
	{"the recipe", func(*train.Config) {}},
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
	{"soft minimum at temperature 0.02", func(c *train.Config) { c.Neural.DrawTemperature = 0.02 }},
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

// Ablation changes the recipe "best" in one way a row, that of the Energy loss and
// that of BCE where they differ. The quick form has the first three variants on one
// split.
func Ablation(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "table6-ablation", Title: "What the recipe for MNIST-Addition is made of", Unit: "accuracy of the sum (%)",
		Text: []string{"NeuPSL with the recipe *best*, changed in one way a row: with the Energy loss, below with BCE. Differences of a point or two are " +
			"within the sampling error of the test; the further test additions below tell more."},
	}
	splits, rows := []int{0, 1, 2}, map[string][]variant{"energy": variants, "bce": variantsBCE}
	if o.Quick {
		splits, rows = splits[:1], map[string][]variant{"energy": variants[:3]}
	}
	for _, loss := range []string{"energy", "bce"} {
		for _, v := range rows[loss] {
			for _, z := range []size{sizes[0], sizes[2]} {
				cfg, err := tasks.Defaults(z.task(), loss, "best", z.additions)
				if err != nil {
					return nil, err
				}
				cfg.Training.MoreTest = true
				v.change(&cfg)
				c, err := cell(o, v.name, z.column(), nil, splits, cfg)
				if err != nil {
					return nil, err
				}
				t.Cells = append(t.Cells, c)
			}
		}
	}
	return t, nil
}
