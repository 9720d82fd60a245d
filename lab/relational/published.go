package relational

import (
	"path/filepath"

	"hinge/lab/linqs"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
)

// judged is what a published set is scored by: a figure of an evaluator on a predicate.
type judged struct {
	metric, predicate, figure string
	evaluator                 evaluate.Evaluator
}

// published are the sets that come in parts as the PSL examples have them.
var published = map[string]struct {
	set *linqs.Published
	judged
}{
	"yelp":                {linqs.Yelp(), judged{"MAE", "Rating", meanAbsoluteError, &evaluate.Continuous{}}},
	"stance-4forums":      {linqs.FourForums(), judged{"AUROC", "IsProAuth", "auroc", &evaluate.AUC{Threshold: 0.5}}},
	"stance-createdebate": {linqs.CreateDebate(), judged{"AUROC", "IsProAuth", "auroc", &evaluate.AUC{Threshold: 0.5}}},
}

func openPublished(name, root string) (*Set, error) {
	p := published[name]
	part := func(split int, part string) (*Part, error) {
		db, err := p.set.Load(filepath.Join(root, name), split, part)
		if err != nil {
			return nil, err
		}
		return p.part(name, db)
	}
	if _, err := part(0, "eval"); err != nil {
		return nil, err
	}
	return &Set{Name: name, Metric: p.metric, Folds: firstFive, fold: func(k int) (*Fold, error) {
		return both(func(name string) (*Part, error) { return part(k, name) }, "learn", "eval")
	}}, nil
}

// part states a part of a published set.
func (j judged) part(name string, db *ground.Database) (*Part, error) {
	return newPart(name, &Part{Data: db, predicate: j.predicate, evaluators: []metric{{"", j.figure, j.evaluator}}})
}
