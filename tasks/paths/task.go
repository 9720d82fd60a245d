package paths

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hinge/train/config"
)

// Options is the task's own section of a configuration.
type Options struct {
	// Grids is the number of training grids; of the Warcraft maps, the first ones are taken.
	Grids int `toml:"grids" range:"[1, inf)" doc:"training grids"`
	// Layouts (data/paths.Layouts) are one example: a step of the network serves all of
	// them. The number divides Grids; of the Warcraft maps it is 1.
	Layouts int `toml:"layouts" range:"[1, inf)" doc:"training grids that show the same pictures, each laid out in a way of its own"`
	Side    int `toml:"side" range:"[2, 64]" zero:"12" doc:"side of the grids of digits; Warcraft maps have the side that their task says"`
	// Network is one of Networks for digits, mlp for tiles of Warcraft maps.
	Network string `toml:"network" range:"lenet | small | mlp" doc:"what reads a picture: lenet or small a digit, mlp a tile of a map"`
}

// Networks lists what reads a digit: a network of a LeNet's size, and a residual one of 16
// to 64 channels.
var Networks = []string{"lenet", "small"}

func (o *Options) Uses(c *config.Config) config.Uses {
	u := config.Uses{Size: o.Grids, Without: []string{"neural.channels", "neural.pretrain", "training.more-test", "training.fresh-test"}}
	if c.Task != digits { // tiles are not distorted
		u.Without = append(u.Without, "neural.augment", "neural.augment-ramp", "neural.test-views", "neural.test-view-strength")
	}
	return u
}

// OptionsOf returns the task's own section of a configuration of Defaults, and panics
// for one that is another task's.
func OptionsOf(c *config.Config) *Options { return c.Options.(*Options) }

func (o *Options) examples() int { return o.Grids / o.Layouts }

func (o *Options) Validate(c *config.Config) error {
	networks := Networks
	if c.Task != digits {
		networks = []string{"mlp"}
	}
	switch {
	case o.Grids%o.Layouts != 0:
		return config.Usage("options.layouts", "%d does not divide the %d grids", o.Layouts, o.Grids)
	case o.Side != 0 && c.Task != digits:
		return config.Usage("options.side", "%d: the maps of %s have a side of their own; leave it out", o.Side, c.Task)
	case o.Layouts > 1 && c.Task != digits:
		return config.Usage("options.layouts", "%d: each Warcraft map has pictures of its own; want 1", o.Layouts)
	case !slices.Contains(networks, o.Network):
		return config.Usage("options.network", "%q is none of %s", o.Network, strings.Join(networks, ", "))
	case c.Loss == "energy":
		return config.Usage("loss", "energy alone makes every cell cheap, the label's too; choose sp, which compares it with the best path")
	case c.Task != digits && c.Split > 0:
		return config.Usage("split", "%d: the Warcraft maps have one split; choose another seed", c.Split)
	case c.Task != digits && c.Neural.Augment != "" && c.Neural.Augment != "none":
		return config.Usage("neural.augment", "%q: tiles are not distorted", c.Neural.Augment)
	}
	return nil
}

// Task is the learning.Task of shortest paths.
type Task struct{}

// digits is the name of the task on MNIST; those on Warcraft maps begin with warcraft.
const (
	digits   = "mnist-path"
	warcraft = "warcraft"
)

// defaultSide is that of the published grids of both.
const defaultSide = 12

// sideOf is the side of a task's grids, 0 for another's.
func sideOf(task string) int {
	if task == digits {
		return defaultSide
	}
	side, err := strconv.Atoi(strings.TrimPrefix(task, warcraft))
	if err != nil || !slices.Contains(Task{}.Names(), task) {
		return 0
	}
	return side
}

func (Task) Names() []string {
	return []string{digits, "warcraft12", "warcraft18", "warcraft24", "warcraft30"}
}

// Defaults implements learning.Task: settings chosen on validation grids of mnist-path. Those
// of the Warcraft maps are a guess, as the maps were not at hand.
func (Task) Defaults(choice config.Config) (config.Config, error) {
	switch {
	case sideOf(choice.Task) == 0:
		return config.Config{}, config.Usage("task", "%q has no paths", choice.Task)
	case !choice.NeuPSL():
		return config.Config{}, config.Usage("system", "%s has no %q", choice.Task, choice.System)
	}
	choice.Loss = cmp.Or(choice.Loss, "sp")
	c := config.Defaults(choice)
	n, own := &c.Neural, &Options{Grids: 180000, Layouts: 6, Network: "small"}
	n.Samples, n.DrawTemperature, n.TemperatureStart, n.TemperatureMin = 0, 0, 0, 1
	c.Symbolic.Epsilon, c.Symbolic.Gap = 1e-6, 1e-9
	c.Bilevel.ConstraintDraws = 0 // all: what no path changes must cancel, draw by draw
	c.Training.Epochs, c.Training.Batch, c.Training.LastWeights, n.LearningRate = 1, 3, true, 2e-3
	n.Augment, n.AugmentRamp, n.Views, n.ViewStrength = "light", 0.5, 8, 0.5
	if choice.Task != digits {
		n.Augment, n.Views = "none", 0
		own.Grids, own.Layouts, own.Network = 10000, 1, "mlp"
		c.Training.Epochs, c.Training.Batch, n.LearningRate = 10, 10, 1e-3
	}
	if choice.Options != nil {
		own.Grids = OptionsOf(&choice).Grids
	}
	if own.Grids%own.Layouts != 0 { // few, asked for by name
		own.Layouts = 1
	}
	c.Training.Batch = min(c.Training.Batch, own.examples())
	c.Training.ValidEvery = max(1, c.Training.Epochs*own.examples()/c.Training.Batch/4)
	c.Options = own
	return c, nil
}
