package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Atom is one atom of a predicate. Truth has a meaning only if the Sample marks it as known.
type Atom struct {
	Args         []string
	Value, Truth float64
	// Place is the atom's place among those of the predicate, whatever is known of them: of
	// categories with equal values the least place is chosen.
	Place int
}

// InPlace returns the atoms of lists by their places, those of one place in the order of the lists.
func InPlace(lists ...[]Atom) []*Atom {
	var all []*Atom
	for _, list := range lists {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Atom) int { return a.Place - b.Place })
	return all
}

// Sample holds the atoms of one predicate, in an order that decides ties.
type Sample struct {
	// Predicate and Arity describe the predicate.
	Predicate string
	Arity     int
	// Labelled are targets with a true value, Latent those without.
	Labelled, Latent []Atom
	// Observed are observed atoms with a true value, Unlabelled those without.
	Observed, Unlabelled []Atom
	// Missing are atoms with a true value that are neither targets nor
	// observed: nothing was predicted for them.
	Missing []Atom
}

// Metric is a named number.
type Metric struct {
	Name  string
	Value float64
}

// Report is the outcome of an evaluation.
type Report struct {
	// Count is the number of atoms that were compared. If it is 0, there are
	// no metrics and Score is 0.
	Count int
	// Metrics are in the evaluator's fixed order.
	Metrics []Metric
	// Representative is the index of the main metric.
	Representative int
	// Score is the representative metric, negated if smaller is better.
	Score float64
}

// Get returns a metric by name.
func (r *Report) Get(name string) (float64, bool) {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

// Evaluator computes metrics of a predicate.
type Evaluator interface {
	// Name is the evaluator's name in model files, without the suffix
	// Evaluator.
	Name() string
	// Check reports settings that make no sense for a predicate with the given
	// number of arguments.
	Check(arity int) error
	// Evaluate computes the report. It returns the error of Check, if any.
	Evaluate(*Sample) (Report, error)
}

// Names lists the evaluators that New knows.
func Names() []string { return []string{"Categorical", "Discrete", "AUC", "Continuous"} }

// New returns the evaluator of the given name with the reference's defaults:
// category -1 (the last argument) and threshold 0.5.
func New(name string) (Evaluator, error) {
	switch name {
	case "Categorical":
		return &Categorical{Indexes: []int{-1}}, nil
	case "Discrete":
		return &Discrete{Threshold: 0.5}, nil
	case "AUC":
		return &AUC{Threshold: 0.5}, nil
	case "Continuous":
		return &Continuous{}, nil
	}
	return nil, fmt.Errorf("no evaluator %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Scope selects the atoms that are compared besides the targets with a true value.
type Scope struct {
	// IncludeObserved adds observed atoms with a true value.
	IncludeObserved bool
	// CloseTruth adds targets without a true value, which then is 0.
	CloseTruth bool
}

// pairs calls yield for each compared atom.
func (o Scope) pairs(s *Sample, yield func(value, truth float64)) {
	for _, a := range s.Labelled {
		yield(a.Value, a.Truth)
	}
	if o.IncludeObserved {
		for _, a := range s.Observed {
			yield(a.Value, a.Truth)
		}
	}
	if o.CloseTruth {
		for _, a := range s.Latent {
			yield(a.Value, 0)
		}
	}
}

// report builds a Report. representative is the name of a metric; sign is −1 if smaller values
// of it are better.
func report(count int, representative string, sign float64, metrics ...Metric) Report {
	if count == 0 {
		return Report{}
	}
	r := Report{Count: count, Metrics: metrics}
	for i, m := range metrics {
		if m.Name == representative {
			r.Representative = i
		}
	}
	r.Score = sign * r.Metrics[r.Representative].Value
	return r
}

// ratio is a/b, and 0 where the reference has 0: for b = 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func checkThreshold(name string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("%s: the threshold %v is not in [0, 1]", name, v)
	}
	return nil
}

// checkRepresentative requires want to be empty or one of the names.
func checkRepresentative(name, want string, names ...string) error {
	if want == "" || slices.Contains(names, want) {
		return nil
	}
	return fmt.Errorf("%s: no metric %q, want one of %s", name, want, strings.Join(names, ", "))
}

// finite guards the order statistics: NaN has no place in a ranking.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

// tie is the difference below which two values count as the same: solvers and a small ε move the
// values of an optimum by less. The reference compares within 1e-6, too.
const tie = 1e-6

// Value returns an inferred value v as it is compared and printed: the nearest multiple of 1e-6.
func Value(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// AsLarge reports whether v, one of some values of which largest is the largest, ties with it.
func AsLarge(v, largest float64) bool { return v+tie >= largest }

// Positive reports whether a value v counts as true at a threshold: Value(v) ≥ Value(threshold).
// So an atom whose optimum is at the threshold is true, on whichever side of it a solver ends.
func Positive(v, threshold float64) bool { return Value(v) >= Value(threshold) }
