package mnistadd

import (
	"fmt"
	"strconv"
	"strings"

	"hinge/train/config"
	"hinge/train/learning"
)

// ChainLoss is a loss of additions alone that solves nothing: the free energy of their
// columns (package chain).
const ChainLoss = "chain"

// Systems lists the systems that NeuPSL is compared with.
var Systems = []string{"deepproblog", "ltn", "cnn"}

// lenets holds the channels of the networks of a LeNet's size, by name.
var lenets = map[string][3]int{"lenet": {16, 32, 128}, "lenet-wide": {32, 64, 128}}

// plainNetwork is the name of package plain's network.
const plainNetwork = "plain"

// Options is the task's own section of a configuration.
type Options struct {
	Additions int `toml:"additions" range:"[1, inf)" flag:"additions" doc:"training additions"`
	// Network is the paper's, or of the size that others use on this task (see package
	// lenet): those have 125,000 and 266,000 parameters, and LeNet-5 and its later forms
	// 60,000 and 430,000. That of package plain has 308,000.
	Network string `toml:"network" range:"resnet18 | lenet | lenet-wide | plain" zero:"resnet18" flag:"network" doc:"the network that reads the inputs"`
	// Pairings are beside the one test. Few long sums can be made of the test images: 10 of
	// 500 digits.
	Pairings int   `toml:"pairings" range:"[0, inf)" for:"neupsl" doc:"random pairings of all test images, the same in every run, that the tested weights are judged on"`
	Lengths  []int `toml:"lengths" range:"[3, 500]" for:"neupsl" doc:"further numbers of digits at which pairings are judged with the same weights"`
	// WindowColumns (ours, see windows): a batch and an epoch count the parts, and carries
	// between them are latent. It divides the number of digits. The recipe best has it
	// for the loss chain above a hundred digits, for the others above two.
	WindowColumns int `toml:"window-columns" range:"[1, 500]" zero:"whole additions" for:"neupsl" doc:"columns of the parts that training additions are cut into"`
	// Lead (ours) is learned from as many additions as give a step as many images: the
	// recipe best has it for chain on numbers of more than twenty digits, for the other losses
	// of more than two.
	Lead        float64 `toml:"lead" range:"[0, 1]" for:"neupsl" doc:"share of the run that learns from leading columns of the sums alone"`
	LeadColumns int     `toml:"lead-columns" range:"[0, 500]" for:"neupsl" doc:"number of the leading columns of lead"`
}

// OptionsOf returns the task's own section of a configuration of Defaults, and panics
// for one that is another task's.
func OptionsOf(c *config.Config) *Options { return c.Options.(*Options) }

func (o *Options) Uses(*config.Config) config.Uses {
	return config.Uses{Losses: append(config.LossesOfRows(), ChainLoss), Systems: Systems, Size: o.Additions}
}

func (o *Options) Validate(c *config.Config) error {
	switch chain := c.Loss == ChainLoss; {
	case o.Network != "" && o.Network != "resnet18" && (c.System == "cnn" || c.Neural.Pretrain != "" && c.Neural.Pretrain != "none"):
		return config.Usage("options.network", "the system cnn and pre-training are for resnet18 alone")
	case o.Pairings > 0 && !c.NeuPSL() || o.Pairings == 0 && len(o.Lengths) > 0:
		return config.Usage("options.pairings", "%d pairings: a number of them, for neupsl alone, and at least 1 with lengths", o.Pairings)
	case len(o.Lengths) > 0 && digitsOf(c.Task) <= 2:
		return config.Usage("options.lengths", "%d digits beside task %s: all must be from 3 to %d, as shorter numbers have other rules", o.Lengths, c.Task, MaxDigits)
	case chain && c.Recipe == "paper":
		return config.Usage("loss", "\"chain\" is not in the paper; leave recipe = 'paper' out")
	case chain && (c.Neural.Samples > 0 || !(c.Neural.DrawTemperature > 0)):
		return config.Usage("loss", "\"chain\" needs gumbel-samples = 0 and a draw-temperature above 0")
	}
	if k, n := o.WindowColumns, digitsOf(c.Task); k != 0 {
		if !c.NeuPSL() {
			return config.Usage("options.window-columns", "windows are for neupsl alone; leave it out")
		}
		if n <= 2 || k < 1 || n%k != 0 {
			return config.Usage("options.window-columns", "%d columns of numbers of %d digits: a divisor of these, and at least three digits", k, n)
		}
	}
	return o.validateLead(c)
}

// passColumns is the number of columns of a pass.
func (o *Options) passColumns(c *config.Config) int {
	return c.Training.Pass() * windowsOf(c, digitsOf(c.Task)).columns
}

func (o *Options) validateLead(c *config.Config) error {
	k, n := o.LeadColumns, digitsOf(c.Task)
	if o.Lead == 0 && k == 0 {
		return nil
	}
	switch {
	case !c.NeuPSL():
		return config.Usage("options.lead", "a beginning on leading columns is for neupsl alone; leave it and lead-columns out")
	case c.Loss != ChainLoss && k != o.WindowColumns:
		return config.Usage("options.lead-columns", "%d columns: the loss %s begins with leading windows, of window-columns = %d", k, c.Loss, o.WindowColumns)
	case !(o.Lead > 0 && o.Lead <= 1):
		return config.Usage("options.lead", "%v is not a share of the run above 0, up to 1", o.Lead)
	case n <= 2 || k < 1 || k >= n || n%k != 0:
		return config.Usage("options.lead-columns", "%d columns of numbers of %d digits: a divisor of these, below them, and at least three digits", k, n)
	}
	switch pass := o.passColumns(c); {
	case pass%k != 0:
		return config.Usage("options.lead-columns", "%d columns for passes of %d: a divisor of these", k, pass)
	case pass/k > o.Additions:
		return config.Usage("options.lead-columns", "%d columns of %d additions a pass, but there are %d additions; set at least %d columns", k, pass/k, o.Additions, (pass+o.Additions-1)/o.Additions)
	}
	return nil
}

// Task is the learning.Task of MNIST-Addition: mnist-addN for numbers of N digits.
type Task struct{}

func (Task) Names() []string {
	return []string{"mnist-add1", "mnist-add2", fmt.Sprintf("mnist-addN (N up to %d)", MaxDigits)}
}

// digitsOf is the number of digits of a summand, 0 for a name of no addition.
func digitsOf(task string) int {
	n, ok := strings.CutPrefix(task, "mnist-add")
	d, err := strconv.Atoi(n)
	if !ok || err != nil || strconv.Itoa(d) != n || d < 1 || d > MaxDigits {
		return 0
	}
	return d
}

// Defaults implements learning.Task.
//
// The loss is energy unless told, through the value function; for NeuPSL on numbers of
// more than two digits it is chain, which is faster. There are as many additions as 600
// images make, the smallest size of the paper's table.
func (Task) Defaults(choice config.Config) (config.Config, error) {
	d := digitsOf(choice.Task)
	if d == 0 {
		return config.Config{}, config.Usage("task", "%q is no addition; there are mnist-add1 to mnist-add%d", choice.Task, MaxDigits)
	}
	if choice.Loss == "" {
		choice.Loss = "energy"
		if d > 2 && choice.NeuPSL() {
			choice.Loss = ChainLoss
		}
	}
	additions := max(1, 300/d)
	if choice.Options != nil {
		additions = OptionsOf(&choice).Additions
	}
	return SystemDefaults(choice.System, choice.Task, choice.Loss, choice.Recipe, additions), nil
}

// SystemDefaults returns the default configuration of a system (empty: neupsl) on the
// task mnist-addN.
func SystemDefaults(system, task, loss, recipe string, additions int) config.Config {
	d := digitsOf(task)
	c := Defaults(d, loss, recipe, additions)
	c.Task = task
	useSystem(&c, system, d)
	return c
}

func (Task) Open(cfg config.Config, data string) (learning.Model, error) {
	if _, err := config.OptionsOf[Options](&cfg); err != nil {
		return nil, err
	}
	return Open(cfg, digitsOf(cfg.Task), data)
}

var _ config.Section = (*Options)(nil)
