package trained

import (
	"hinge/lab/tables"
	"hinge/tasks/paths"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// validPaths is a further figure of a run.
const validPaths = "Paths of least cost on validation (%)"

// pathSplits is how many there are to score.
const pathSplits = 3

// pathProtocol is part of the settings of the cell, as sudokuProtocol is.
const pathProtocol = "paths 3\n"

// Paths is shortest paths on digits. The quick form has one split and few steps.
func Paths(o tables.Options) (*tables.Table, error) {
	cfg, err := paths.Task{}.Defaults(config.Config{Task: "mnist-path"})
	if err != nil {
		return nil, err
	}
	list := learning.All(pathSplits)
	t := &tables.Table{
		Name: "paths", Title: "shortest paths on grids of MNIST digits, learned from paths alone", Unit: "share of paths of exactly the least cost (%)",
		Code: "tasks/paths",
		Text: []string{
			"The task is ours, after the Warcraft sets. 12×12 cells show a digit each; a step leads to any of eight neighbours; a path from the upper left cell to the lower right one " +
				"costs the sum of its digits, each plus one. Learning sees the images and one path of least cost of each grid, never a digit or a cost. " +
				"1,000 grids each for validation and the test. Training grids show 50,000 images of MNIST's training part, validation grids the other 10,000, test grids those of its test part: " +
				"no image is in two parts, and in a part each is in many grids. The 180,000 training grids come in runs of six that show the same 144 images, each grid in other places; each is seen once.",
			"NeuPSL learns by the structured perceptron through the value function; the flow programs of learning and of answers as hinge-loss Markov random fields are in `tasks/paths/rules`, " +
				"how costs enter b = b₀ + B·g is in `go doc hinge/tasks/paths`. The answer follows the MAP state's flow; it is right if its true cost is the least, by Dijkstra's algorithm. " +
				"Splits differ in images, grids and paths, with the network's first weights from one seed.",
			"Settings were chosen by validation grids of split 0, in some ten short trials and two long ones that are no rows here (docs/LEARNING.md has them, and those of an earlier form, whose records are [superseded](README.md)). A path is right only if no image that matters to it is misread: " +
				"a reader that takes .2 % of the digits for another answers 97.1 % of such grids, with .4 % 96.1, with .8 % 91.4 (`go test ./data/paths -run Misread -v`).",
			"The runs took the arithmetic mean of the outputs for nine views of an image at test; a run made now takes the normalised geometric mean, as all tasks do.",
			"Published for the Warcraft maps of 12×12: 94.2 to 99.4 %. Those are other pictures, of five terrains; the maps were not at hand, so `-task warcraft12` has no row.",
		},
	}
	if o.Quick {
		list = list[:1]
		paths.OptionsOf(&cfg).Grids = 300
		t.Text = append(t.Text, "This is the small form: one split, few grids.")
	}
	c, err := cell(o, paths.Task{}, tables.Cell{Row: "NeuPSL, structured perceptron", Column: "MNIST 12×12", Splits: list},
		cfg, pathProtocol, string(paths.Rules()), func(res *record.Result) tables.Outcome {
			return Outcome(res, res.TestAccuracy, map[string]float64{validPaths: 100 * res.ValidAccuracy})
		})
	t.Cells = []tables.Cell{c}
	return t, err
}
