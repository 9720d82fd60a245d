package relational

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"hinge/lab/tables"
	"hinge/symbolic/infer"
)

// tieEpsilon is the ε of cmd/infer.
const tieEpsilon = 1e-8

// ties are the values of -ties of cmd/infer and the points that they name.
var ties = []struct {
	name   string
	center func(p *Part) []float64
}{
	{"norm", func(*Part) []float64 { return nil }},
	{"centre", func(p *Part) []float64 { return slices.Repeat([]float64{0.5}, p.Template.Targets) }},
	{"prior", func(p *Part) []float64 { return p.Data.Priors(0.5) }},
}

// TiesChoice scores the choices among optima on the parts of the folds that are there to learn
// on: the default of -ties is decided here. Ties does it on the parts to test on.
func TiesChoice(o tables.Options) (*tables.Table, error) {
	return tiesTable(o, "ties-choice", "the same, on the parts to learn on: the default was decided here", "choice",
		func(f *Fold) *Part { return f.Learn })
}

// Ties is the table of the parts to test on.
func Ties(o tables.Options) (*tables.Table, error) {
	return tiesTable(o, "ties", "which of many optima", "test", func(f *Fold) *Part { return f.Test })
}

func tiesTable(o tables.Options, name, title, half string, part func(*Fold) *Part) (*tables.Table, error) {
	t := &tables.Table{
		Name: name, Title: title, Unit: "accuracy (Cora, CiteSeer), AUROC (debates, Epinions, DDI) or mean absolute error (Yelp: less is better) in %",
		Code: "lab/relational", Brief: true,
		Text: []string{
			"Inference as by cmd/infer with ε = 1e-8 and the rules' weights as written. Where many points are optimal the answer is the one nearest to 0 (norm), to ½ (centre), " +
				"or to the mean of what is observed of the predicate (prior; ½ where nothing is).", linqsText},
	}
	data := &folds{root: o.Data}
	for _, set := range Names() {
		if base(set) != set {
			continue
		}
		splits := firstFive
		if set == "ddi" {
			splits = splits[:1]
		}
		for _, tie := range ties {
			t.Cells = append(t.Cells, tables.Cell{
				Row: titles[set], Column: tie.name, Splits: splits, Settings: fmt.Sprintf("%s ties %s %s", protocol, half, tie.name),
				Run: func(_ context.Context, split int) (tables.Outcome, error) {
					begin := time.Now()
					f, err := data.get(set, split)
					if err != nil {
						return tables.Outcome{}, err
					}
					p := part(f)
					s, err := p.InferNear(p.Template.Program().Weights(), tieEpsilon, tie.center(p), infer.Settings{})
					return tables.Outcome{Value: math.Abs(s.Value), WallS: time.Since(begin).Seconds()}, err
				},
			})
		}
	}
	t.Comparisons = []tables.Comparison{{Title: "Less norm", Text: "Points, fold by fold: mean ± standard error (number of splits). On Yelp, an error, less is better.", Base: "norm", Columns: []string{"centre", "prior"}}}
	return t, nil
}
