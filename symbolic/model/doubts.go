package model

import (
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
)

// doubts looks for probable slips in the predicates and their data.
func (l *loader) doubts(predicates *node) {
	used := map[string]bool{}
	for _, r := range l.m.Rules.Rules {
		for _, a := range r.Atoms() {
			used[strings.ToUpper(a.Predicate)] = true
		}
	}
	for i, p := range l.m.Data.Predicates() {
		key := &predicates.keys[i]
		if !used[strings.ToUpper(p.Name)] {
			l.warn(key, "remove it, or write a rule with it", "%s is in no rule", p.Name)
		} else if p.Observations+p.Targets+p.Deep == 0 {
			l.doubt(key, "give it observations or targets; all its atoms count as false", "%s has no data in the partition %s", p.Name, l.m.Partition)
		}
		if n, first := l.m.Data.StrayTruths(p.Name); n > 0 {
			misses := ""
			for _, e := range l.m.Evaluations {
				if _, ok := e.Evaluator.(*evaluate.Categorical); ok && strings.EqualFold(e.Predicate, p.Name) {
					misses = "; its accuracy counts the true ones as misses"
				}
			}
			l.doubt(key, "add them to the targets, or remove them", "%d of the true values of %s are of atoms that are not targets, the first is %s(%s)%s",
				n, p.Name, p.Name, strings.Join(first, ", "), misses)
		}
		l.doubtValues(key, p)
	}
	for i := range l.m.Evaluations {
		l.doubtEvaluation(&l.m.Evaluations[i], predicates)
	}
}

// doubtValues finds observations that all have one value, which is not 1.
func (l *loader) doubtValues(key *node, p ground.PredicateInfo) {
	if p.Observations < 2 {
		return
	}
	value, n := 0.0, 0
	for a := range l.m.Data.Atoms(p.Name, ground.Observed) {
		if n++; n > 1 && a.Value != value {
			return
		}
		value = a.Value
	}
	if value != 1 {
		l.doubt(key, "check the column of values", "all %d observations of %s have the value %v", n, p.Name, value)
	}
}

// doubtEvaluation finds evaluators that measure nothing, or that measure something else in the
// reference.
func (l *loader) doubtEvaluation(e *Evaluation, predicates *node) {
	key := &predicates.keys[l.m.place(e.Predicate)]
	s := l.m.Sample(e.Predicate, make([]float64, l.m.Data.Targets()), make([]float64, l.m.Data.DeepAtoms()))
	switch e := e.Evaluator.(type) {
	case *evaluate.Categorical:
		// The reference looks for the truth of observed atoms among the targets.
		n := 0
		for _, a := range s.Observed {
			if a.Truth >= 1 {
				n++
			}
		}
		if n > 0 && !e.IncludeObserved {
			l.doubt(key, "remove them from the truth, or set eval.includeobs true",
				"%d true atoms of %s are observed: they are left out of the accuracy, which the reference lowers by them as misses", n, s.Predicate)
		}
	case *evaluate.AUC:
		same := len(s.Labelled) > 1
		for _, a := range s.Labelled {
			same = same && evaluate.Positive(a.Truth, e.Threshold) == evaluate.Positive(s.Labelled[0].Truth, e.Threshold)
		}
		if same {
			l.doubt(key, "check the truth", "the true values of %s are all on one side of the threshold: there is no ranking to evaluate", s.Predicate)
		}
	}
}
