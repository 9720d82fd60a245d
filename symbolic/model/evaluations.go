package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
)

// Evaluation is an evaluator for a predicate.
type Evaluation struct {
	Predicate string
	evaluate.Evaluator
	// Primary marks the model's main evaluation, which early stopping uses.
	Primary bool
}

// Result is the result of an Evaluation on a solution.
type Result struct {
	Evaluation
	evaluate.Report
}

// evaluatorOptions are the options of evaluators, in lower case.
var evaluatorOptions = []string{
	"eval.includeobs", "eval.closetruth", "categoricalevaluator.categoryindexes", "categoricalevaluator.representative",
	"discreteevaluator.threshold", "discreteevaluator.representative",
	"aucevaluator.threshold", "aucevaluator.representative", "continuousevaluator.representative",
}

// evaluatorOption reports whether an option is about evaluators.
func evaluatorOption(name string) bool {
	return slices.Contains(evaluatorOptions, strings.ToLower(name))
}

// readEvaluation adds an evaluator of a predicate.
func (l *loader) readEvaluation(p *Predicate, n *node) {
	class, options, own := n, l.options, (*node)(nil)
	primary := false
	if n.kind == objectNode {
		l.only(n, "an evaluation", "evaluator", "options", "primary")
		if class = n.get("evaluator"); class == nil {
			panic(l.errorf(n, `the evaluation has no "evaluator"`))
		}
		if b := l.child(n, "primary", boolNode); b != nil {
			primary = isTrue(b.text)
			if primary && l.primary != nil {
				panic(l.errorf(b, "there are two primary evaluations, the other one on line %d", l.primary.line))
			}
			if primary {
				l.primary = b
			}
		}
		own = n.get("options")
		options = l.appendOptions(l.options, own)
	}
	l.expect(class, textNode, "an evaluation")
	e, err := evaluate.New(strings.TrimSuffix(className(class.text), "Evaluator"))
	if err != nil {
		var names []string
		for _, name := range evaluate.Names() {
			names = append(names, name+"Evaluator")
		}
		panic(l.hint(class, suggest(className(class.text), names), "there is no evaluator %s", facts.Show(class.text)))
	}
	if c, ok := e.(*evaluate.Categorical); ok && p.Network != nil && p.Network.Class >= 0 {
		c.Indexes = []int{p.Network.Class}
	}
	if own != nil {
		l.checkEvaluatorOptions(e, own)
	}
	l.configure(e, options)
	if err := e.Check(p.Arity); err != nil {
		panic(l.errorf(n, "%v", err))
	}
	l.m.Evaluations = append(l.m.Evaluations, Evaluation{Predicate: p.Name, Evaluator: e, Primary: primary})
}

// checkEvaluatorOptions warns of options that an evaluator does not have.
func (l *loader) checkEvaluatorOptions(e evaluate.Evaluator, options *node) {
	var has []string
	for _, name := range evaluatorOptions {
		if strings.HasPrefix(name, "eval.") || strings.HasPrefix(name, strings.ToLower(e.Name())+"evaluator.") {
			has = append(has, name)
		}
	}
	for i := range options.keys {
		if name := options.keys[i].text; !slices.Contains(has, strings.ToLower(name)) {
			l.loud(&options.keys[i], suggest(strings.ToLower(name), has), "the %sEvaluator has no option %s", e.Name(), facts.Show(name))
		}
	}
}

// configure applies options to an evaluator.
func (l *loader) configure(e evaluate.Evaluator, options []option) {
	apply := func(name string, set func(*option)) {
		if at := findOption(options, name); at >= 0 {
			set(&options[at])
		}
	}
	var scope *evaluate.Scope
	var representative *string
	var threshold *float64
	switch e := e.(type) {
	case *evaluate.Categorical:
		scope = &e.Scope
		apply("categoricalevaluator.categoryindexes", l.indexes(&e.Indexes))
	case *evaluate.Discrete:
		scope, representative, threshold = &e.Scope, &e.Representative, &e.Threshold
	case *evaluate.AUC:
		scope, representative, threshold = &e.Scope, &e.Representative, &e.Threshold
	case *evaluate.Continuous:
		scope, representative = &e.Scope, &e.Representative
	}
	apply("eval.includeobs", l.truth(&scope.IncludeObserved))
	apply("eval.closetruth", l.truth(&scope.CloseTruth))
	prefix := strings.ToLower(e.Name()) + "evaluator."
	if threshold != nil {
		apply(prefix+"threshold", l.number(threshold, "a number in [0, 1]", func(v float64) bool { return v >= 0 && v <= 1 }))
	}
	if representative == nil {
		return
	}
	apply(prefix+"representative", func(o *option) {
		*representative = strings.ToLower(o.value)
		if err := e.Check(1); err != nil {
			l.warn(o.node, "the default stands for the evaluator", "%v", err)
			*representative = ""
		}
	})
}

// indexes reads integers separated by colons.
func (l *loader) indexes(to *[]int) func(*option) {
	return func(o *option) {
		*to = nil
		for s := range strings.SplitSeq(o.value, ":") {
			v, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil {
				panic(l.errorf(o.node, "the option %s is %s, want integers separated by colons", o.name, facts.Show(o.value)))
			}
			*to = append(*to, v)
		}
	}
}

// Sample returns the atoms of a predicate with the inferred values y, one per target of Data,
// the neural outputs g, one per deep atom, and the true values. The truth of atoms that are
// not targets is known for predicates with an evaluation.
func (m *Model) Sample(predicate string, y, g []float64) *evaluate.Sample {
	s := &evaluate.Sample{Predicate: predicate}
	if i := m.place(predicate); i >= 0 {
		s.Arity = m.Predicates[i].Arity
	}
	place := 0
	for a := range m.Data.Atoms(predicate) {
		e := evaluate.Atom{Args: a.Args, Value: a.Value, Place: place}
		place++
		labelled, latent, known := &s.Labelled, &s.Latent, false
		switch a.Kind {
		case ground.Target:
			e.Value = y[a.Index]
			e.Truth, known = m.Data.TruthValue(a.Index)
		case ground.Deep:
			e.Value = g[a.Index]
			e.Truth, known = m.Data.DeepTruth(a.Index)
		case ground.Observed:
			labelled, latent = &s.Observed, &s.Unlabelled
			e.Truth, known = m.Data.TruthOf(predicate, a.Args...)
		}
		if known {
			*labelled = append(*labelled, e)
		} else {
			*latent = append(*latent, e)
		}
	}
	for args, value := range m.Data.Truths(predicate) {
		_, target := m.Data.TargetIndex(predicate, args...)
		if _, deep := m.Data.DeepIndex(predicate, args...); target || deep {
			continue
		}
		if _, ok := m.Data.Observation(predicate, args...); !ok {
			s.Missing = append(s.Missing, evaluate.Atom{Args: args, Truth: value})
		}
	}
	return s
}

// Evaluate runs all evaluations on the inferred values y, one per target of Data, and
// the neural outputs g, one per deep atom; nil where there are none.
func (m *Model) Evaluate(y, g []float64) ([]Result, error) {
	if err := m.fit(y, g); err != nil {
		return nil, err
	}
	var results []Result
	var sample *evaluate.Sample
	for _, e := range m.Evaluations {
		if sample == nil || sample.Predicate != e.Predicate {
			sample = m.Sample(e.Predicate, y, g)
		}
		r, err := e.Evaluate(sample)
		if err != nil {
			return nil, fmt.Errorf("model: %s: %w", e.Predicate, err)
		}
		results = append(results, Result{e, r})
	}
	return results, nil
}

// fit returns an error if there are not as many values and outputs as targets and deep atoms.
func (m *Model) fit(y, g []float64) error {
	if len(y) != m.Data.Targets() || len(g) != m.Data.DeepAtoms() {
		return fmt.Errorf("model: %d values and %d neural outputs, the model has %d targets and %d deep atoms",
			len(y), len(g), m.Data.Targets(), m.Data.DeepAtoms())
	}
	return nil
}

// place returns the place of a predicate in Predicates, -1 for none.
func (m *Model) place(predicate string) int {
	return slices.IndexFunc(m.Predicates, func(p Predicate) bool { return strings.EqualFold(p.Name, predicate) })
}
