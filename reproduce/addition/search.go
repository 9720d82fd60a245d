package addition

import (
	"context"
	"errors"
	"fmt"

	"hinge/reproduce/tables"
	"hinge/train"
	"hinge/train/mnistadd"
)

// searched are the changes of the recipe "best" that DeepProbLog was tried with: with the
// recipe thirty, as many as Energy has had in all columns together. Those of Energy's
// trials that mean something without draws come first; the first five are tried on
// numbers of one digit too, where Energy has had six settings.
var searched = []variant{
	ramp(0.5), light, plain,
	{"twice the epochs", func(c *train.Config) { c.Training.Epochs *= 2 }},
	{"120 epochs", func(c *train.Config) { c.Training.Epochs = 120 }},
	{"80 epochs", func(c *train.Config) { c.Training.Epochs = 80 }},
	{"half the epochs", func(c *train.Config) { c.Training.Epochs /= 2 }},
	ramp(0.25), ramp(1),
	{"half the learning rate", func(c *train.Config) { c.Neural.LearningRate /= 2 }},
	{"twice the learning rate", func(c *train.Config) { c.Neural.LearningRate *= 2 }},
	{"constant step", func(c *train.Config) { c.Neural.Schedule = "constant" }},
	{"half the batch", func(c *train.Config) { c.Training.Batch /= 2 }},
	{"twice the batch", func(c *train.Config) { c.Training.Batch *= 2 }},
	average(0), average(0.98), average(0.995),
	views(4, 0.5), views(16, 0.5), views(8, 0.25), views(8, 1),
	decay(0.01), decay(0.15),
	dropout(0.2), dropout(0.5),
	{"pre-trained mildly", func(c *train.Config) { c.Neural.Pretrain = "best" }},
	{"no warm-up", func(c *train.Config) { c.Neural.Warmup = 0 }},
	{"twice the warm-up", func(c *train.Config) { c.Neural.Warmup *= 2 }},
	{"gradients of norm 1 at most", func(c *train.Config) { c.Neural.ClipNorm = 1 }},
}

// average is another decay of the moving average of the weights, 0 for none.
func average(d float64) variant {
	return variant{fmt.Sprintf("weights averaged with decay %v", d), func(c *train.Config) { c.Neural.Average = d }}
}

// views are others at test.
func views(n int, strength float64) variant {
	return variant{fmt.Sprintf("%d distorted views of %v times the strength", n, strength), func(c *train.Config) {
		c.Neural.Views, c.Neural.ViewStrength = n, strength
	}}
}

func decay(d float64) variant {
	return variant{fmt.Sprintf("weight decay %v", d), func(c *train.Config) { c.Neural.WeightDecay = d }}
}

func dropout(p float64) variant {
	return variant{fmt.Sprintf("dropout %v", p), func(c *train.Config) { c.Neural.Dropout = p }}
}

// searchedSplits are those that Energy's trials were made on.
var searchedSplits = fiveSplits[:2]

// Search is the search for DeepProbLog's settings, on the splits and by the figure that
// Energy's were chosen by. It has no quick form.
func Search(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "table6-search", Title: "MNIST-Addition: DeepProbLog's settings", Unit: "accuracy of the sum on all validation additions (%)",
		Text: []string{"DeepProbLog with the recipe *best*, changed in one way a row, on splits 0 and 1, by all 1,500 validation additions of a split (3,000 of one-digit numbers), " +
			"the figure and the splits that Energy's settings were chosen by. No test addition is answered in these runs.",
			"The count of Energy: twelve trials on 150-Add2 and thirteen on 1500-Add2, which the part above tells and which are no rows, and five more in its rows and at its end; seventeen of the thirty are on 150-Add2, six on 300-Add1. " +
				"Of what Energy was tried with, the number and the temperatures of draws and the soft minimum mean nothing here, as the likelihood has no draws; other settings stand in their place."},
		Comparisons: []tables.Comparison{{
			Title: "Less the recipe", Text: "Points, split by split: mean ± standard error (number of splits).", Base: recipe.name,
		}},
	}
	if o.Quick {
		return t, nil
	}
	for k, v := range append([]variant{recipe}, searched...) {
		if k > 0 {
			t.Comparisons[0].Rows = append(t.Comparisons[0].Rows, v.name)
		}
		for _, z := range []size{sizes[2], sizes[0]} {
			if z == sizes[0] && k > 5 {
				continue
			}
			cfg := mnistadd.SystemDefaults("deepproblog", z.task(), "energy", "best", z.additions)
			v.change(&cfg)
			c, err := trial(o, v.name, z, searchedSplits, cfg)
			if err != nil {
				return nil, err
			}
			c.Run = allValidation(c.Run)
			t.Cells = append(t.Cells, c)
		}
	}
	return t, nil
}

// allValidation makes the accuracy on all validation additions of a split a run's value:
// those that every run has, and the further ones, five times as many.
func allValidation(run func(context.Context, int) (tables.Outcome, error)) func(context.Context, int) (tables.Outcome, error) {
	return func(ctx context.Context, split int) (tables.Outcome, error) {
		out, err := run(ctx, split)
		if err != nil {
			return out, err
		}
		further, ok := out.More[furtherValid]
		if !ok {
			return out, errors.New("a run without further validation")
		}
		out.More[validation] = out.Value
		out.Value = (out.Value + furtherShare*further) / (1 + furtherShare)
		return out, nil
	}
}

// furtherShare is how many times as many further validation additions there are.
const furtherShare = 5
