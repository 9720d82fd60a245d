package citation

import (
	"hinge/data/citation"
	"hinge/internal/tables"
	"hinge/train"
	task "hinge/train/citation"
)

// ablations are the recipe "best" with one thing changed.
var ablations = []struct {
	title  string
	change func(c *train.Config)
}{
	{"best", func(*train.Config) {}},
	{"without refitting on validation labels", func(c *train.Config) { task.OptionsOf(c).Refit = false }},
	{"without class balance", func(c *train.Config) { task.OptionsOf(c).Balance = 0 }},
	{"outputs not sharpened", func(c *train.Config) { c.Neural.TestTemperature = 1 }},
	{"rule weights not learned", func(c *train.Config) { c.Symbolic.MirrorStep = 0 }},
	{"rules and network learn together", func(c *train.Config) { c.Neural.LearningRate, task.OptionsOf(c).Refit = 1e-2, false }},
	{"three networks", func(c *train.Config) { task.OptionsOf(c).Members = 3 }},
	{"one linear layer", func(c *train.Config) { task.OptionsOf(c).Hidden = []int{} }},
	{"convolution instead of propagation", func(c *train.Config) { task.OptionsOf(c).Network = "convolution" }},
	{"no propagation", func(c *train.Config) { task.OptionsOf(c).Network = "words" }},
}

// Ablation says what each part of the recipe "best" is worth, on both data sets.
// It is a tables.Builder.
func Ablation(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "table5-ablation", Title: "citation networks: what the parts of the recipe best are worth", Unit: "accuracy on 1,000 test papers (%)",
		Text:   []string{"Each row changes one thing of the recipe *best* with the energy loss; splits and protocol are those of Table 5. How the settings of *best* were chosen, on validation papers, is in table5-selection."},
		Paired: []string{gain, trainOnlyGain},
	}
	splits := make([]int, citation.Splits)
	for i := range splits {
		splits[i] = i
	}
	list := ablations
	if o.Quick {
		splits, list = splits[:1], list[:3]
	}
	for _, a := range list {
		for _, col := range columns {
			cfg := task.Defaults(col.task, "energy", "best")
			a.change(&cfg)
			if o.Quick {
				cfg.Training.Steps = quickSteps
			}
			c, err := neupsl(o, a.title, col.title, nil, splits, cfg)
			if err != nil {
				return nil, err
			}
			t.Cells = append(t.Cells, c)
		}
	}
	t.Comparisons = []tables.Comparison{{Title: "Difference to best", Base: list[0].title,
		Text: "Points over the recipe *best*, split by split: mean ± standard error (number of splits)."}}
	for _, a := range list[1:] {
		t.Comparisons[0].Rows = append(t.Comparisons[0].Rows, a.title)
	}
	return t, nil
}
