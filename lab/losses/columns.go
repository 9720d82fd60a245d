package losses

import (
	"fmt"
	"strings"

	"hinge/bilevel"
	"hinge/lab/tables"
	"hinge/lab/trained"
	"hinge/tasks/citation"
	"hinge/tasks/mnistadd"
	"hinge/tasks/paths"
	"hinge/tasks/sudoku"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// column is a task with a budget.
type column struct {
	title, says string
	task        learning.Task
	splits      bool // whether the task has splits
	defaults    func(loss string) (config.Config, error)
	examples    func(*config.Config) int
}

var columns = []column{
	addition("300-Add1", "mnist-add1", 300, "sums of two digits, 300 to learn from, 100 epochs"),
	addition("150-Add2", "mnist-add2", 150, "sums of two-digit numbers, 150 to learn from, 100 epochs"),
	{
		"sudoku 4×4", "100 valid boards and their twins, the narrow ResNet18 of the task, 20 epochs after 10 of pre-training by contrast; the answer is whether a board is valid",
		sudoku.Task{}, true,
		func(loss string) (config.Config, error) {
			c, err := sudoku.Task{}.Defaults(config.Config{Task: "sudoku4", Loss: loss})
			if err == nil {
				c.Training.Epochs, sudoku.OptionsOf(&c).PretrainEpochs = 20, 10
			}
			return c, err
		},
		func(c *config.Config) int { return sudoku.OptionsOf(c).Boards },
	},
	{
		"paths 6×6", "3,000 grids of digits, in runs of six that show the same images, each seen once; the answer is a path of least cost. `energy` is refused by the task: all costs would fall to zero",
		paths.Task{}, true,
		func(loss string) (config.Config, error) {
			c, err := paths.Task{}.Defaults(config.Config{Task: "mnist-path", Loss: loss, Options: &paths.Options{Grids: 3000}})
			if err == nil {
				paths.OptionsOf(&c).Side, paths.OptionsOf(&c).Network, c.Neural.Views, c.Neural.ViewStrength = 6, "lenet", 0, 0
			}
			return c, err
		},
		func(c *config.Config) int { return paths.OptionsOf(c).Grids / paths.OptionsOf(c).Layouts },
	},
	{
		"Cora", "the splits of table 5, 100 epochs, the network of the recipe for each loss: with `answer` of a paper's own words, else one that propagates words over citations and is fitted to the labels alone first",
		citation.Task{}, true,
		func(loss string) (config.Config, error) {
			c := citation.Defaults("cora", loss, "best")
			c.Training.Epochs = 100
			return c, nil
		},
		func(*config.Config) int { return 1 },
	},
	{
		"MNIST-Half", "2,940 pairs of images with their sums and, as a sum does not tell all digits, three labelled images of each digit (`lab/losses/half`), 8 epochs",
		modelfile.Task{}, false,
		func(loss string) (config.Config, error) {
			c, err := trained.ModelFile("examples/mnist-half", "config.toml")
			if err == nil {
				c.Training.Epochs, c.Options.(*modelfile.Options).Model = 8, "lab/losses/half/model.json"
				if n := &c.Neural; !bilevel.LossName(loss).Kind().Draws {
					n.Samples, n.TemperatureSpread, n.TemperatureStart, n.TemperatureMin = 0, 0, 1, 1
				}
			}
			return c, err
		},
		func(*config.Config) int { return 2940 },
	},
}

// addition is the column of a number of sums, read by a LeNet.
func addition(title, task string, additions int, says string) column {
	return column{title, says, mnistadd.Task{}, true,
		func(loss string) (config.Config, error) {
			c := mnistadd.SystemDefaults("neupsl", task, loss, "best", additions)
			mnistadd.OptionsOf(&c).Network = "lenet"
			return c, nil
		},
		func(*config.Config) int { return additions },
	}
}

// text describes the columns.
func text() string {
	var list []string
	for _, c := range columns {
		list = append(list, fmt.Sprintf("*%s*: %s", c.title, c.says))
	}
	return strings.Join(list, ". ") + "."
}

var _ tables.Builder = Table
