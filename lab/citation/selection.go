package citation

import (
	"context"
	"fmt"

	"hinge/lab/tables"
	task "hinge/tasks/citation"
	"hinge/train/config"
)

// choices are the recipe "best" with one thing changed: what its settings were chosen
// among, and what its parts are worth.
var choices = []change{
	{"best", func(*config.Config) {}},
	{"own predictions instead of rules", ownPredictions},
	own("labels not completed: the likelihood and the paper's energy", func(o *task.Options) { o.CompleteEvery = 0 }),
	own("the paper's energy loss alone", func(o *task.Options) { o.CompleteEvery, o.Supervised = 0, 0 }),
	{"no weight decay while learning", func(c *config.Config) { c.Neural.WeightDecay = 0 }},
	own("all papers decided", func(o *task.Options) { o.Decided = 0 }),
	{"temperature 1", func(c *config.Config) { c.Neural.TestTemperature = 1 }},
	{"temperature 0.5", func(c *config.Config) { c.Neural.TestTemperature = 0.5 }},
	{"twice as many steps", func(c *config.Config) { c.Training.Epochs *= 2 }},
}

// programs are the forms of DeepStochLog among which one was chosen: the longest
// path and the hidden layer.
var programs = []struct {
	links  int
	hidden []int
}{{1, []int{64}}, {2, []int{64}}, {3, []int{64}}, {2, []int{}}}

// Selection shows on what the settings were chosen that the paper does not give:
// accuracies on validation papers, nothing else. It is a tables.Builder.
func Selection(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "table5-selection", Title: "citation networks: how settings were chosen", Unit: "accuracy on the validation papers (%)",
		Code: "tasks/citation",
		Text: []string{
			"No test label is looked at here. Rows are the recipe *best* with the propagating network (`-loss energy`) on splits 30 to 39, with one thing changed. Settings of the form with rules in place of propagation (`-loss answer`) were chosen by a program of trials whose runs are no rows: lab/docs/REPRODUCTION.md has its figures. Trials of the form before this one are [superseded](README.md).",
			"DeepStochLog, splits 0 to 9: the longest path of citations and the hidden layer of its network.",
		},
	}
	splits, chosen := judgedSplits(0, o.Quick), judgedSplits(chosenFrom, o.Quick)
	list, forms := choices, programs
	if o.Quick {
		list, forms = list[:2], forms[:1]
	}
	for _, choice := range list {
		for _, col := range columns {
			cfg := best(col.task, "energy")
			before := cfg.Identity()
			if choice.to(&cfg); cfg.Identity() == before && choice.title != list[0].title {
				continue // what the recipe has
			}
			cfg.Training.NoTest = true
			if err := t.Add(validationOnly(neupsl(o, choice.title, col.title, nil, chosen, cfg))); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range forms {
		for _, col := range columns {
			cfg, err := task.BaselineDefaults(col.task, "stochlog")
			if err != nil {
				return nil, err
			}
			task.OptionsOf(&cfg).Steps, task.OptionsOf(&cfg).Hidden, cfg.Training.NoTest = f.links, f.hidden, true
			if err := t.Add(validationOnly(other(o, "stochlog", fmt.Sprintf("DeepStochLog, at most %d links, hidden %v", f.links, f.hidden), cfg, col.title, nil, splits))); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// validationOnly makes the validation accuracy of a cell's runs their value and drops the
// rest.
func validationOnly(c tables.Cell, err error) (tables.Cell, error) {
	run := c.Run
	c.Run = func(ctx context.Context, split int) (tables.Outcome, error) {
		out, err := run(ctx, split)
		out.Value, out.More = out.More[validation], nil
		return out, err
	}
	return c, err
}
