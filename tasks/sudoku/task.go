package sudoku

import (
	"hinge/bilevel"
	"hinge/train/config"
)

// Options is the task's own section of a configuration.
type Options struct {
	Boards int `toml:"boards" range:"[1, inf)" doc:"valid training boards, each with an invalid twin"`
	// Network is ResNet18 as published, or one of 16 to 64 channels, with 190,000 parameters
	// instead of eleven million (three times a LeNet's).
	Network        string `toml:"network" range:"resnet18 | small" doc:"what reads a digit"`
	PretrainEpochs int    `toml:"pretrain-epochs" range:"[1, inf)" doc:"epochs of the pre-training best"`
}

func (o *Options) Uses(*config.Config) config.Uses {
	return config.Uses{Losses: config.LossesOfRows(), Size: o.Boards, Without: []string{"neural.test-views", "neural.test-view-strength", "neural.channels", "neural.dropout", "training.more-test", "training.fresh-test"}}
}

// OptionsOf returns the task's own section of a configuration of Defaults, and panics
// for one that is another task's.
func OptionsOf(c *config.Config) *Options { return c.Options.(*Options) }

func (o *Options) Validate(c *config.Config) error {
	if c.Neural.Views > 0 {
		return config.Usage("neural.test-views", "%d: the task looks at plain images; leave it out", c.Neural.Views)
	}
	if c.Task == "sudoku9" && c.Loss == string(bilevel.LossKBest) {
		return config.Usage("loss", "k-best lists all valid boards, and of 9×9 there are too many; choose another loss")
	}
	return nil
}

// Task is the learning.Task of visual sudoku.
type Task struct{}

// sides holds the side of the boards by the name of the task.
var sides = map[string]int{"sudoku4": 4, "sudoku9": 9}

func (Task) Names() []string { return []string{"sudoku4", "sudoku9"} }

// Defaults implements learning.Task: the published size, 100 valid boards and their twins,
// with settings chosen by the validation boards of split 10, which the protocol has for
// that.
func (Task) Defaults(choice config.Config) (config.Config, error) {
	side := sides[choice.Task]
	switch {
	case side == 0:
		return config.Config{}, config.Usage("task", "%q is no visual sudoku", choice.Task)
	case !choice.NeuPSL():
		return config.Config{}, config.Usage("system", "%s has no %q", choice.Task, choice.System)
	}
	c := config.Defaults(choice)
	n, own := &c.Neural, &Options{Boards: 100, Network: "small"}
	n.WeightDecay, n.Decoupled = 0.01, true
	n.DrawTemperature, n.TestTemperature = 0, 4
	n.Pretrain, n.AugmentRamp = "best", 0.5
	c.Training.LastWeights = true
	// An epoch is 1,600 images or 8,100.
	if side == 4 {
		c.Training.Epochs, own.PretrainEpochs, n.Samples, n.Augment = 100, 60, 16, "strong"
	} else {
		c.Training.Epochs, own.PretrainEpochs, n.Samples, n.Augment = 30, 12, 8, "light"
	}
	if bilevel.LossName(c.Loss).Kind().Rows { // all states, beliefs as the likelihood has them
		n.Samples, n.TemperatureStart, n.TemperatureMin = 0, 1, 1
	}
	if choice.Options != nil {
		own.Boards = OptionsOf(&choice).Boards
	}
	c.Training.Batch = min(10, own.Boards)
	c.Training.ValidEvery = max(1, c.Training.Epochs*own.Boards/c.Training.Batch/4)
	c.Options = own
	return c, nil
}
