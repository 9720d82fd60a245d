package inference

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hinge/lab/tables"
	"hinge/symbolic/infer"
)

// methodTitles are the methods' names in tables. Those of auto date from when it was
// called bcd, and the recorded figures stand under them.
var methodTitles = map[string]string{
	"admm": "ADMM", "bcd-paper": "CC D-BCD (bcd-paper)", "bcd-lockfree": "LF D-BCD (bcd-lockfree)",
	"auto": "auto (ours: methods combined)", "ipm": "interior point (ipm)", "subgradient": "subgradient",
}

// methodOrder is that of the rows.
var methodOrder = []string{"admm", "bcd-paper", "bcd-lockfree", "auto", "ipm", "subgradient"}

// Limits of one inference, and the sizes of the quick form.
const (
	limit       = 20 * time.Second
	quickLimit  = 3 * time.Second
	patience    = 30 * time.Minute
	quickImages = 400
)

// certifiedSplits is the number of folds for the rule of equal gaps, which the
// slow methods mostly meet the limit by.
const certifiedSplits = 3

// row is the label of a method with a stop rule.
func row(method string, r rule) string { return methodTitles[method] + ", " + r.title }

// Table2 is the paper's table of inference times, and its extended form. It is a
// tables.Builder.
func Table2(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Number: 2, Title: "time of inference", Unit: "seconds of one inference",
		Code: "lab/inference", Brief: true, Shown: []string{accuracy, gap},
		Text: []string{
			"Test parts of the folds, initial weights, ε as published: 0.1 (CreateDebate, 4Forums, Epinions, Yelp), 10 (CiteSeer, Cora, DDI), 1e-3 (additions). The base models of Cora and CiteSeer, " +
				"as in the paper; the folds of these two are another draw. CreateDebate, 4Forums and Yelp are not the published files but made from the same sources (see Table 4). Yelp's accuracy is the mean absolute error: less is better. MNIST-Add1 and -Add2: the additions that 10,000 of MNIST's test images make, or 1,000 of them, as the published text reads either way, with the outputs of " +
				"a network trained here on additions of that kind (`go run ./cmd/train -task mnist-add1`, `-add2`).",
			"*Paper's rule*: stop when no target of the component has moved by 1e-3 in an iteration and no hard constraint is violated by more than 5e-3, looked at after every iteration; " +
				"on additions when the duality gap of each is at most 1e-3. At most 25,000 iterations. ADMM with the published step and without over-relaxation. Look at the gap reached: " +
				"a method that moves slowly stops early by this rule.",
			"*Gap 1e-6*: stop when the duality gap of each component is certified to be at most 1e-6 relative to its value and hard constraints are met to 1e-6. ADMM chooses its own step. The first " +
				fmt.Sprint(certifiedSplits) + " folds only.",
			fmt.Sprintf("Each inference starts from nothing: no warm start, nothing kept of the problem's structure. Median of %d to %d; fewer where that takes longer than %v together. "+
				"Cut off after the iteration in which %v have passed, CC D-BCD by the paper's rule after %v where that limit would end it: a figure with > is a lower bound, and gap and accuracy are those reached by then. All cores; the paper's machine was a Xeon E5-2630 v4. "+
				"All methods solve the regularised problem; the paper's ADMM and subgradient descent (GD) solved the one without ε. "+
				"The paper's Gurobi (.46 s on Epinions, .66 on CiteSeer, .71 on Cora, 7.38 on Yelp) needs a licence; the interior point stands in for it.", repeats, manyRepeats, enough, limit, patience),
		},
	}
	within, n := limit, images
	if o.Quick {
		within, n = quickLimit, quickImages
		t.Text = append(t.Text, fmt.Sprintf("This is the small form: one fold, %d images, cut off after %v.", n, within))
	}
	data := newSource(o.Data, n)
	for _, equal := range []bool{false, true} {
		for _, name := range methodOrder {
			for i := range sets {
				s := &sets[i]
				r := certified()
				if !equal {
					r = s.published()
				}
				within := within
				if name == "bcd-paper" && !equal && s.slow && !o.Quick {
					within = patience
				}
				c, err := data.cell(s, name, r, s.epsilon, within, o.Quick)
				if err != nil {
					return nil, err
				}
				c.Row = row(name, r)
				if equal && len(c.Splits) > certifiedSplits {
					c.Splits = c.Splits[:certifiedSplits]
				}
				if f, ok := s.paper[name]; ok && !equal && !o.Quick {
					c.Paper = &f
				}
				t.Cells = append(t.Cells, c)
			}
		}
	}
	for _, r := range []rule{certified(), published()} {
		c := tables.Comparison{Title: "How much longer than auto: " + r.title, Base: row(infer.DefaultMethod().Name(), r), Ratio: true,
			Text: "Seconds over those of auto on the same problem, geometric mean over the folds (number of folds)."}
		for _, name := range methodOrder {
			if label := row(name, r); label != c.Base {
				c.Rows = append(c.Rows, label)
			}
		}
		t.Comparisons = append(t.Comparisons, c, tables.Comparison{Title: "How much longer than ADMM: " + r.title, Base: row("admm", r), Ratio: true,
			Text: "The same, over those of ADMM.", Rows: []string{row("bcd-paper", r), row("bcd-lockfree", r), c.Base}})
	}
	return t, nil
}

// cell makes a cell without its row and the paper's figure.
func (d *source) cell(s *set, method string, r rule, epsilon float64, within time.Duration, quick bool) (tables.Cell, error) {
	m, err := s.method(method, r)
	if err != nil {
		return tables.Cell{}, err
	}
	splits := slices.Clone(s.splits)
	if quick {
		splits = splits[:1]
	}
	short, full := settings(s, m, r, epsilon, within, repeats, manyRepeats, enough, d.drawn(s))
	return tables.Cell{
		Column: s.title, Splits: splits, Settings: short, Config: full,
		Run: func(ctx context.Context, split int) (tables.Outcome, error) {
			p, err := d.get(s, split)
			if err != nil {
				return tables.Outcome{}, err
			}
			return measure(ctx, p, epsilon, m, r, within)
		},
	}, nil
}
