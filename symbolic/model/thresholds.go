package model

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// Thresholds are the values, in [0, 1], from which on atoms of a predicate count as true, by the
// predicate's name.
type Thresholds map[string]float64

// OnValidation is the text of thresholds that are chosen on the partition Validation.
const OnValidation = string(Validation)

// ParseThreshold reads the text of a threshold, a number in [0, 1]. It is 0 for OnValidation and
// for "", which is no threshold.
func ParseThreshold(text string) (v float64, err error) {
	if text == "" || text == OnValidation {
		return 0, nil
	}
	if v, err = strconv.ParseFloat(text, 64); err != nil || !(v >= 0 && v <= 1) {
		err = fmt.Errorf("%q is neither a number in [0, 1] nor %s", text, OnValidation)
	}
	return v, err
}

// discretes yields the first DiscreteEvaluator of each predicate.
func (m *Model) discretes() iter.Seq2[string, *evaluate.Discrete] {
	return func(yield func(string, *evaluate.Discrete) bool) {
		var seen []string
		for _, e := range m.Evaluations {
			if d, ok := e.Evaluator.(*evaluate.Discrete); ok && !slices.Contains(seen, e.Predicate) {
				seen = append(seen, e.Predicate)
				if !yield(e.Predicate, d) {
					return
				}
			}
		}
	}
}

// Choose chooses, for each predicate with a DiscreteEvaluator, the threshold at which the values y
// and outputs g, as of Evaluate, have the best main metric (evaluate.Discrete.Choose). Predicates
// whose true values are missing or all alike have none; where no predicate has any, that is an
// error.
func (m *Model) Choose(y, g []float64) (Thresholds, error) {
	if err := m.fit(y, g); err != nil {
		return nil, err
	}
	chosen, some := Thresholds{}, false
	for name, d := range m.discretes() {
		some = true
		v, ok, err := d.Choose(m.Sample(name, y, g))
		if err != nil {
			return nil, fmt.Errorf("model: %s: %w", name, err)
		}
		if ok {
			chosen[name] = v
		}
	}
	switch {
	case !some:
		return nil, &Error{Msg: m.File + `: a threshold needs a predicate with the evaluation "DiscreteEvaluator"`}
	case len(chosen) == 0:
		return nil, &Error{Msg: fmt.Sprintf("%s: a threshold is chosen between true and false atoms, and the partition %s has not both", m.File, m.Partition)}
	}
	return chosen, nil
}

// Flattered returns a sentence for each predicate with a DiscreteEvaluator that has targets in common with
// valid, the partition on which its threshold was chosen: m is evaluated on what chose it.
func (m *Model) Flattered(valid *Model) (doubts []string) {
	for name := range m.discretes() {
		targets, shared := 0, 0
		for a := range valid.Data.Atoms(name) {
			if _, ok := valid.Data.TruthOf(name, a.Args...); !ok || a.Kind == ground.Observed {
				continue // it chooses nothing
			}
			targets++
			_, target := m.Data.TargetIndex(name, a.Args...)
			if _, deep := m.Data.DeepIndex(name, a.Args...); target || deep {
				shared++
			}
		}
		if shared > 0 {
			doubts = append(doubts, fmt.Sprintf("%d of the %d targets of %s by which the threshold is chosen are evaluated at it, which flatters (give the partition %s targets of its own)", shared, targets, name, Validation))
		}
	}
	return doubts
}

// Decide sets the thresholds at which the values of predicates are evaluated from now on; the
// thresholds of the truth stay. The key "" stands for all predicates that are not named.
// Predicates without a DiscreteEvaluator are left out; Decided has the others.
func (m *Model) Decide(t Thresholds) {
	for name := range m.discretes() {
		v, ok := t[name]
		if !ok {
			v, ok = t[""]
		}
		for _, e := range m.Evaluations {
			if d, own := e.Evaluator.(*evaluate.Discrete); own && ok && e.Predicate == name {
				d.Cut = &v
			}
		}
	}
}

// Decided returns the thresholds that Decide has set.
func (m *Model) Decided() Thresholds {
	t := Thresholds{}
	for name, d := range m.discretes() {
		if d.Cut != nil {
			t[name] = *d.Cut
		}
	}
	return t
}

// Curves returns the curves (evaluate.Discrete.Curve) of the predicates whose thresholds Decide has set, those
// that have points, with at most so many of them.
func (m *Model) Curves(y, g []float64, points int) (map[string][]evaluate.Point, error) {
	if err := m.fit(y, g); err != nil {
		return nil, err
	}
	curves := map[string][]evaluate.Point{}
	for name, d := range m.discretes() {
		if d.Cut == nil {
			continue
		}
		curve, err := d.Curve(m.Sample(name, y, g))
		if err != nil {
			return nil, err
		}
		if len(curve) > 0 {
			curves[name] = evaluate.Thin(curve, points)
		}
	}
	return curves, nil
}

// thresholdLine matches a line of a rule file with a threshold, whatever ends it.
var thresholdLine = regexp.MustCompile(`(?m)^\x{FEFF}?# threshold of (\S+) = (.*?)[ \t\r]*$\n?`)

// ThresholdsOf returns the thresholds that a rule file has, as Lines writes them, and the file's text
// without them. The error is about a line whose threshold is no number in [0, 1].
func ThresholdsOf(file, rules string) (t Thresholds, text string, err error) {
	t = Thresholds{}
	for _, at := range thresholdLine.FindAllStringSubmatchIndex(rules, -1) {
		name, value := rules[at[2]:at[3]], rules[at[4]:at[5]]
		v, problem := ParseThreshold(value)
		if problem != nil || value == "" || value == OnValidation {
			line := 1 + strings.Count(rules[:at[2]], "\n")
			err = &Error{Pos: psl.Pos{File: file, Line: line, Col: 1}, Msg: fmt.Sprintf("the threshold of %s is %s, want a number in [0, 1]", name, facts.Show(value))}
		}
		t[name] = v
	}
	return t, thresholdLine.ReplaceAllString(rules, ""), err
}

// Lines returns the thresholds as comments of a rule file, "" for none.
func (t Thresholds) Lines() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&b, "# threshold of %s = %v\n", name, t[name])
	}
	return b.String()
}
