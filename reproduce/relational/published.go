package relational

import (
	"path/filepath"

	"hinge/reproduce/linqs"
	"hinge/symbolic/evaluate"
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
	dir := filepath.Join(root, name)
	read := func(split int, part string) (*Part, error) {
		facts, err := p.set.Read(dir, split, part)
		if err != nil {
			return nil, err
		}
		return publishedPart(p.set, p.judged, facts)
	}
	if _, err := p.set.Read(dir, 0, "learn"); err != nil {
		return nil, err
	}
	return &Set{Name: name, Metric: p.metric, Folds: firstFive, fold: func(k int) (*Fold, error) {
		return both(func() (*Part, error) { return read(k, "learn") }, func() (*Part, error) { return read(k, "eval") })
	}}, nil
}

// publishedPart states a part of a published set.
func publishedPart(set *linqs.Published, by judged, facts []linqs.Facts) (*Part, error) {
	predicates := map[string]int{}
	for _, p := range set.Predicates {
		predicates[p.Name] = p.Arity
	}
	a := newAtoms(predicates)
	for i, p := range set.Predicates {
		for _, f := range facts[i].Given {
			a.observe(p.Name, f.Value, f.Args...)
		}
		for _, f := range facts[i].Hidden {
			a.target(p.Name, f.Value, f.Args...)
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	return newPart(set.Name, &Part{Data: a.db, predicate: by.predicate, evaluators: []metric{{"", by.figure, by.evaluator}}})
}
