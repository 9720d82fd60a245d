package losses

import (
	"context"
	"errors"
	"slices"
	"time"

	"hinge/lab/bench"
	"hinge/lab/tables"
	"hinge/lab/trained"
	"hinge/train/config"
	"hinge/train/learning"
)

// splits is how many there are.
const splits = 3

// protocol is part of the settings of every cell: what decides an outcome besides the
// configuration.
const protocol = "losses 1"

// Names of further figures.
const (
	concepts  = "Concepts (%)"
	processor = "Processor seconds of a run"
	training  = "Solves in training (thousands)"
)

// Table is all losses on all columns. The quick form has one split and a twentieth of the epochs.
func Table(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "losses", Title: "which loss to take", Unit: "accuracy of the answer on validation (%)",
		Code: "lab/losses", Shown: []string{concepts, processor},
		Text: []string{
			"Every loss that a task allows, with the settings of the task's recipe for that loss, frozen rule weights and one budget a task: the same examples, epochs and network. " +
				"The runs are small: a LeNet reads the digits of additions and paths, and budgets are below those of the recipes, so figures are below those of other pages. " +
				"No setting was tuned for these runs. No test example is answered.",
			text(),
			"A blank is a loss that the task does not have. A split is another draw of examples where a task has splits, and another seed in all: first weights, draws, order.",
			"The concepts are what the network alone reads: digits, the classes of a sudoku's images (any naming of them), topics of papers. The outputs of paths are costs, which no label names. " +
				"Processor seconds count all of a run that was made in one sitting, its validation too, on a busy machine; the pre-training of sudokus, made once a split, is in those of the first loss.",
		},
	}
	if o.Quick {
		t.Text = append(t.Text, "This is the small form: one split, a twentieth of the epochs.")
	}
	for _, c := range columns {
		if err := c.add(o, t); err != nil {
			return nil, err
		}
	}
	first := t.Cells[0].Row
	compare := tables.Comparison{Title: "Less " + first, Text: "Points, split by split: mean ± standard error (number of splits).", Base: first}
	for _, c := range t.Cells {
		if c.Row != first && !slices.Contains(compare.Rows, c.Row) {
			compare.Rows = append(compare.Rows, c.Row)
		}
	}
	t.Comparisons = []tables.Comparison{compare}
	return t, nil
}

// add adds the cells of a column: a loss that the task's check of its settings refuses has none.
func (c *column) add(o tables.Options, t *tables.Table) error {
	plain, err := c.defaults("energy")
	if err != nil {
		return err
	}
	for _, loss := range plain.Losses() {
		cfg, err := c.defaults(loss)
		if err != nil {
			return err
		}
		cfg.Loss = loss
		cfg.Training.NoTest, cfg.Symbolic.FreezeRules, cfg.Symbolic.After, cfg.Symbolic.DeadZone = true, true, 0, 0
		cfg.Training.ValidEvery = c.steps(&cfg)
		if o.Quick {
			cfg.Training.Epochs = max(1, cfg.Training.Epochs/20)
		}
		var u *config.UsageError
		switch err := cfg.Validate(); {
		case errors.As(err, &u) && u.Key == "loss":
			continue
		case err != nil:
			return err
		}
		cell := tables.Cell{Row: loss, Column: c.title, Splits: learning.All(splits)}
		if o.Quick {
			cell.Splits = cell.Splits[:1]
		}
		cell, err = cell.Configured(cfg, protocol+"\n", "", func(ctx context.Context, cfg config.Config) (tables.Outcome, error) {
			cfg.Seed = uint64(cfg.Split)
			if !c.splits {
				cfg.Split = 0
			}
			return c.run(ctx, o, cfg)
		})
		if err != nil {
			return err
		}
		t.Cells = append(t.Cells, cell)
	}
	return nil
}

// steps is the number of steps of a run: validated is once, in its end.
func (c *column) steps(cfg *config.Config) int {
	return max(1, cfg.Training.Epochs*c.examples(cfg)/cfg.Training.Batch)
}

// run trains a configuration in its own folder, or reads what it came to.
func (c *column) run(ctx context.Context, o tables.Options, cfg config.Config) (tables.Outcome, error) {
	began, used := time.Now(), bench.CPUTime()
	_, res, err := trained.Run(ctx, o, c.task, cfg)
	if err != nil {
		return tables.Outcome{}, err
	}
	out := trained.Outcome(&res, res.ValidAccuracy, map[string]float64{training: float64(res.Solves) / 1000})
	if res.ValidParts != nil {
		out.More[concepts] = 100 * *res.ValidParts
	}
	if time.Since(began).Seconds() > out.WallS {
		out.More[processor] = (bench.CPUTime() - used).Seconds()
	}
	return out, nil
}
