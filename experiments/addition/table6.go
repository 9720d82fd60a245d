package addition

import (
	"fmt"

	"hinge/internal/tables"
	"hinge/train"
	"hinge/train/tasks"
)

// size is a column of Table 6, additions of numbers of so many digits.
type size struct{ additions, digits int }

// column is how the size is called in the table. The number stands first, so that
// 300 can be selected without 3000: -sizes 300-add1.
func (s size) column() string { return fmt.Sprintf("%d-Add%d", s.additions, s.digits) }

func (s size) task() string { return fmt.Sprintf("mnist-add%d", s.digits) }

var sizes = []size{{300, 1}, {3000, 1}, {150, 2}, {1500, 2}}

// system is a row of Table 6, with the paper's figures by column.
type system struct {
	name, system, loss string
	paper              [4]*tables.Figure
}

func figure(mean, sd float64) *tables.Figure { return &tables.Figure{Mean: mean, SD: sd} }

var systems = []system{
	{"CNN", "cnn", "energy", [4]*tables.Figure{figure(17.16, .62), figure(78.99, 1.14), figure(1.31, .23), figure(1.69, .27)}},
	{"LTN", "ltn", "energy", [4]*tables.Figure{figure(69.23, 15.68), figure(93.90, .51), figure(2.02, .97), figure(71.79, 27.76)}},
	{"DeepProbLog", "deepproblog", "energy", [4]*tables.Figure{figure(85.61, 1.28), figure(92.59, 1.40), figure(71.37, 3.90), figure(87.44, 2.15)}},
	{"NeuPSL, Energy", "neupsl", "energy", [4]*tables.Figure{figure(87.96, 1.58), figure(95.60, .91), figure(59.20, 32.79), figure(90.56, .61)}},
	{"NeuPSL, SP", "neupsl", "sp", [4]*tables.Figure{}},
	{"NeuPSL, MSE", "neupsl", "mse", [4]*tables.Figure{}},
	{"NeuPSL, BCE", "neupsl", "bce", [4]*tables.Figure{figure(88.84, 2.07), figure(95.70, .84), figure(76.00, 2.61), figure(93.04, 2.26)}},
}

// fiveSplits are the paper's.
var fiveSplits = []int{0, 1, 2, 3, 4}

// Table6 is the paper's Table 6 with both recipes. The quick form has the
// recipe "best" on one split of 600 images, without the losses that solve two
// quadratic programs a step and with a quarter of the budget for CNN.
func Table6(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Number: 6, Title: "MNIST-Addition", Unit: "accuracy of the sum (%)",
		Text: []string{
			"Rows are systems and recipes: *paper* has the settings of the published experiments (random weights, pre-trained by " +
				"contrast on the split's training images, one Gumbel sample, noise at test, no augmentation; of the additions, 30 a batch instead of 32 and one smaller batch), *best* is ours (augmentation, averaged weights, the mean of the logits of eight views at test, no " +
				"pre-training; NeuPSL's Energy is the soft minimum of the energy over digits, weighed by belief, and carries, the other losses take the soft minimum over several Gumbel samples, with a fifteenth of each batch standing for all in the problems without labels; answers are MAP states).",
			"All systems share images, splits, backbone, training loop and stop rules; LTN (paper) alone runs a fixed budget, without a " +
				"penalty on the weights and at 6,000 images with a tenth of the learning rate, as its loss follows a schedule over the run. The paper took the figures of CNN, LTN and " +
				"DeepProbLog from runs with other networks and without pre-training, so those rows are comparisons of losses here, not repetitions.",
		},
	}
	recipes := []string{"best", "paper"}
	if o.Recipe != "" {
		recipes = []string{o.Recipe}
	}
	if o.Quick {
		recipes = []string{"best"}
	}
	for _, recipe := range recipes {
		for _, s := range systems {
			for i, z := range sizes {
				cfg, err := tasks.SystemDefaults(s.system, z.task(), s.loss, recipe, z.additions)
				if err != nil {
					return nil, err
				}
				splits := fiveSplits
				if o.Quick {
					if z.additions > 300 || s.loss != "energy" {
						continue
					}
					splits = splits[:1]
					quick(&cfg)
				}
				cfg.Training.MoreTest = true
				c, err := cell(o, s.name+" ("+recipe+")", z.column(), s.paper[i], splits, cfg)
				if err != nil {
					return nil, err
				}
				t.Cells = append(t.Cells, c)
			}
		}
	}
	return t, nil
}

// quick shortens the run whose outcome the budget decides least.
func quick(c *train.Config) {
	if c.System == "cnn" {
		c.Training.Epochs /= 4
	}
}
