package citation

import (
	"context"
	"fmt"
	"time"

	"hinge/data/citation"
	"hinge/internal/tables"
	"hinge/train"
	task "hinge/train/citation"
)

// choice is a setting of inference: the temperature of the network's outputs and
// the weights of the rules for links and for similar papers, that of the network's
// rule being 1.
type choice struct{ temperature, link, similar float64 }

// choices are the settings among which those of the recipe "best" were chosen.
func choices() []choice {
	var list []choice
	for _, t := range []float64{1, 0.5, 0.3} {
		for _, link := range []float64{0, 0.03, 0.1} {
			for _, similar := range []float64{0, 0.03, 0.1, 0.3} {
				if link+similar > 0 {
					list = append(list, choice{t, link, similar})
				}
			}
		}
	}
	return list
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
		Text: []string{
			"No test label is looked at here. Rows of the recipe *best* are inference with observed training labels, for a temperature of " +
				"the network's outputs and weights of the rules for links and similar words (the network's own rule has weight 1); nothing is learned. The network is trained on the training labels for " +
				"the recipe's number of epochs, not chosen by these validation labels. Taken were, for each data set, the settings with the largest mean among those with both rules: learning cannot bring back a rule of weight 0.",
			"DeepStochLog: the longest path of citations and the hidden layer of its network.",
		},
	}
	splits := make([]int, citation.Splits)
	for i := range splits {
		splits[i] = i
	}
	list, forms := choices(), programs
	if o.Quick {
		splits, list, forms = splits[:1], list[:2], forms[:1]
	}
	last := new(pretrained)
	for _, col := range columns {
		cfg := task.Defaults(col.task, "energy", "best")
		cfg.Neural.TestTemperature = 1 // the choices have their own
		settings, err := cfg.Encode()
		if err != nil {
			return nil, err
		}
		cell := func(row string, c *choice) tables.Cell {
			return tables.Cell{
				Row: row, Column: col.title, Splits: splits, Settings: fmt.Sprintf("%s %v\n%s", protocol, c, settings),
				Run: func(_ context.Context, split int) (tables.Outcome, error) {
					cfg := cfg
					cfg.Split = split
					return last.try(cfg, o.Data, c)
				},
			}
		}
		t.Cells = append(t.Cells, cell("Network alone", nil))
		for _, c := range list {
			t.Cells = append(t.Cells, cell(fmt.Sprintf("T = %v, links %v, similar %v", c.temperature, c.link, c.similar), &c))
		}
	}
	for _, f := range forms {
		for _, col := range columns {
			cfg, err := task.BaselineDefaults(col.task, "stochlog")
			if err != nil {
				return nil, err
			}
			task.OptionsOf(&cfg).Steps, task.OptionsOf(&cfg).Hidden, cfg.Training.NoTest = f.links, f.hidden, true
			c, err := other(o, "stochlog", fmt.Sprintf("DeepStochLog, at most %d links, hidden %v", f.links, f.hidden), cfg, col.title, nil, splits)
			if err != nil {
				return nil, err
			}
			c.Run = validationOnly(c.Run)
			t.Cells = append(t.Cells, c)
		}
	}
	return t, nil
}

// validationOnly makes the validation accuracy of a run its value and drops the
// rest.
func validationOnly(run func(context.Context, int) (tables.Outcome, error)) func(context.Context, int) (tables.Outcome, error) {
	return func(ctx context.Context, split int) (tables.Outcome, error) {
		out, err := run(ctx, split)
		out.Value, out.More = out.More[validation], nil
		return out, err
	}
}

// pretrained keeps the model of the last task and split asked for, as a table asks
// for the same one again and again.
type pretrained struct {
	hash  string
	model *task.Model
}

// try measures a choice, or the network alone for nil, on validation papers.
func (p *pretrained) try(cfg train.Config, root string, c *choice) (tables.Outcome, error) {
	start := time.Now()
	if p.hash != cfg.Hash() {
		model, err := task.Open(cfg, root)
		if err != nil {
			return tables.Outcome{}, err
		}
		p.hash, p.model = cfg.Hash(), model
	}
	alone := c == nil
	if alone {
		c = &choice{temperature: 1}
	}
	// The rules: the network's, one a topic for links, one for similar papers.
	weights := make([]float64, len(p.model.Weights()))
	for i := range weights {
		weights[i] = c.link
	}
	weights[0], weights[len(weights)-1] = 1, c.similar
	score, err := p.model.Try(c.temperature, weights)
	if alone {
		score.Accuracy = score.Parts
	}
	return tables.Outcome{Value: 100 * score.Accuracy, WallS: time.Since(start).Seconds(), SolverS: score.SolverSeconds}, err
}
