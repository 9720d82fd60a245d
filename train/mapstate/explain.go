package mapstate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Explanation holds the energy of a MAP state and the rules that contribute to it.
type Explanation struct {
	// Energy is w·Φ at the MAP state.
	Energy float64 `json:"energy"`
	// Broken counts the ground rules whose distance to satisfaction is more than
	// 0.01; BrokenRules are the worst of them, five at most.
	Broken      int          `json:"broken"`
	BrokenRules []BrokenRule `json:"broken_rules"`
}

// BrokenRule is a weighted ground rule that a MAP state does not satisfy.
type BrokenRule struct {
	Rule   string  `json:"rule"`
	Weight float64 `json:"weight"`
	// Distance is the distance to satisfaction, before the rule squares it.
	Distance float64     `json:"distance"`
	Atoms    []AtomValue `json:"atoms"`
}

// AtomValue is an atom of a ground rule: a neural output or its MAP value.
type AtomValue struct {
	Atom  string  `json:"atom"`
	Value float64 `json:"value"`
}

const (
	// leastDistance is the distance up to which a rule counts as satisfied.
	leastDistance = 0.01
	// shownRules is how many broken rules an explanation lists.
	shownRules = 5
)

// ExplainTargets finds the rules that a MAP state y breaks, given the rule weights and the
// network's outputs g that it was inferred with: of the ground rules that contain one of the given
// targets, or nil for all ground rules. So it can explain one answer among the many of one
// program. Energy is the energy of these rules.
func ExplainTargets(t *lcqp.Template, y, weights, g []float64, targets []int) *Explanation {
	p := t.Program()
	e := &Explanation{BrokenRules: []BrokenRule{}}
	type broken struct {
		row      int
		distance float64
	}
	var all []broken
	for k := range p.Potentials.Len() {
		col, _ := p.Potentials.Row(k)
		if targets != nil && !slices.ContainsFunc(col, func(c int32) bool { return slices.Contains(targets, int(c)) }) {
			continue
		}
		d := max(0, p.Potentials.At(k, y, g))
		if d > leastDistance {
			all = append(all, broken{k, d})
		}
		cost, rule := d, p.PotentialRule[k]
		if p.Rules[rule].Squared {
			cost *= d
		}
		e.Energy += weights[rule] * cost
	}
	slices.SortStableFunc(all, func(a, b broken) int { return cmp.Compare(b.distance, a.distance) })
	e.Broken = len(all)
	for _, b := range all[:min(shownRules, len(all))] {
		rule := p.PotentialRule[b.row]
		e.BrokenRules = append(e.BrokenRules, BrokenRule{p.Rules[rule].Text, weights[rule], b.distance, atoms(p, &p.Potentials, b.row, y, g)})
	}
	return e
}

// atoms returns the atoms of a ground rule that are not observed.
func atoms(p *hlmrf.Program, rows *hlmrf.Rows, row int, y, g []float64) []AtomValue {
	out := []AtomValue{}
	col, _ := rows.DeepRow(row)
	for _, c := range col {
		out = append(out, AtomValue{p.Deep[c], g[c]})
	}
	col, _ = rows.Row(row)
	for _, c := range col {
		out = append(out, AtomValue{p.Targets[c], evaluate.Value(y[c])})
	}
	return out
}

// Print writes the broken rules for people.
func (e *Explanation) Print(out io.Writer) {
	if e.Broken == 0 {
		fmt.Fprintf(out, "  breaks no rule by more than %.2f\n", leastDistance)
	}
	for _, b := range e.BrokenRules {
		fmt.Fprintf(out, "  breaks by %.2f, weight %.4f: %s\n   ", b.Distance, b.Weight, b.Rule)
		for _, a := range b.Atoms {
			fmt.Fprintf(out, " %s=%.2f", a.Atom, a.Value)
		}
		fmt.Fprintln(out)
	}
	if rest := e.Broken - len(e.BrokenRules); rest > 0 {
		fmt.Fprintf(out, "  and %d more ground rules\n", rest)
	}
}
