package relational

import (
	"context"
	"encoding/json"
	"fmt"

	"hinge/bilevel"
	"hinge/lab/tables"
)

// searched are the sets on which the published search is repeated, and the losses: the
// bilevel ones, whose grid has 96 points, where a run takes seconds.
var searched = []struct {
	set    string
	losses []bilevel.LossName
}{
	{"stance-createdebate", bilevel.Losses}, {"stance-4forums", bilevel.Losses}, {"epinions", bilevel.Losses},
	{"citeseer", bilevel.Losses[:2]}, {"cora", bilevel.Losses[:2]},
}

// grid lists the published ranges for a loss (appendix, table of hyperparameters).
func grid(loss bilevel.LossName) (list []tuned) {
	for _, step := range []float64{1e-3, 1e-2} {
		for _, epsilon := range []float64{1e-2, 1e-3} {
			if !loss.Bilevel() {
				list = append(list, tuned{step: step, epsilon: epsilon})
				continue
			}
			for _, energy := range []float64{0, 0.1, 1, 10} {
				for _, yStep := range []float64{1e-1, 1e-2} {
					for _, prox := range []float64{1e-1, 1e-2, 1e-3} {
						list = append(list, tuned{step, epsilon, energy, yStep, prox})
					}
				}
			}
		}
	}
	return list
}

// label is the row of a point of a loss's grid.
func (r tuned) label(loss bilevel.LossName) string {
	text := fmt.Sprintf("%s: step %v, ε %v", lossTitles[loss], r.step, r.epsilon)
	if loss.Bilevel() {
		text += fmt.Sprintf(", energy %v, y %v, prox %v", r.energy, r.yStep, r.prox)
	}
	return text
}

// Search repeats the paper's search for hyperparameters on the first fold of the sets
// that are cheap. It is a tables.Builder; the quick form has the debates and the losses
// without a bilevel part.
func Search(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "search", Brief: true, Title: "the published search for hyperparameters", Unit: "AUROC (debates, Epinions) or accuracy (CiteSeer, Cora) on the test part, in %",
		Code: "lab/relational",
		Text: []string{
			"Every point of the published ranges, on the first fold, as the published search was made: *it chooses by the test part*, so nothing of ours is chosen by it; the other tables have the " +
				"published choices. Step of mirror descent, ε, and for the bilevel losses energy coefficient, step on y and proximal weight. MSE and BCE, 96 points each, are run where that takes seconds.",
			linqsText,
		},
	}
	list := searched
	if o.Quick {
		list = list[:2]
	}
	data := &folds{root: o.Data}
	for _, loss := range bilevel.Losses {
		if o.Quick && loss.Bilevel() {
			continue
		}
		choice := tables.Choice{Title: lossTitles[loss], Published: map[string]string{}}
		for _, point := range grid(loss) {
			row := point.label(loss)
			choice.Rows = append(choice.Rows, row)
			for _, s := range list {
				if len(s.losses) < len(bilevel.Losses) && loss.Bilevel() {
					continue
				}
				c := point.config(s.set, loss)
				settings, err := json.Marshal(c)
				if err != nil {
					return nil, fmt.Errorf("relational: %w", err)
				}
				choice.Published[titles[s.set]] = recipes[s.set][loss].label(loss)
				t.Cells = append(t.Cells, tables.Cell{
					Row: row, Column: titles[s.set], Splits: firstFive[:1], Settings: protocol + " " + string(settings),
					Run: func(ctx context.Context, split int) (tables.Outcome, error) {
						return data.predict(ctx, s.set, split, c, o.Note)
					},
				})
			}
		}
		t.Choices = append(t.Choices, choice)
	}
	return t, nil
}

// config is the recipe of a set with these parameters.
func (r tuned) config(set string, loss bilevel.LossName) Config {
	if coarse[set] {
		c := r.settings(loss, 1)
		c.Gap = 0.1
		return c
	}
	return r.settings(loss, 0.1)
}
