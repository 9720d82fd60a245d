package ground

import (
	"fmt"
	"slices"
	"strings"

	"hinge/symbolic/psl"
)

// MostEmpty is the number of rules without rows that are explained, as each may search all data;
// where there is one more, it is explained too.
const MostEmpty = 20

// Others says of the rule after those how many rules, of n without rows, are like it.
func Others(n int) (why, hint string) {
	return fmt.Sprintf("nor have %d rules before it and %d after it", MostEmpty, n-MostEmpty-1), "mend the first of them"
}

// explain fills in why a rule has no row.
func (c *compiler) explain(r *rule, p *plan, s *RuleStats) {
	if s.Matches == 0 {
		s.Empty, s.Hint = c.unmatched(r, p, s.depth)
		return
	}
	var why []string
	for _, w := range []struct {
		n    int
		text string
	}{
		{s.Satisfied, "is satisfied by an observed atom"}, {s.NoTarget, "has no target"}, {s.Trivial, "holds whatever its atom is"},
		{s.Opposed, "holds an atom and its negation"}, {s.Missing, "needs an atom that is neither observed nor a target"},
	} {
		switch {
		case w.n == s.Matches && s.Matches > 1:
			why = append(why, fmt.Sprintf("each of %d matches %s", w.n, w.text))
		case w.n > 0:
			why = append(why, fmt.Sprintf("%d of %d matches %s", w.n, s.Matches, w.text))
		}
	}
	s.Empty, s.Hint = strings.Join(why, ", "), "check the data of its predicates"
	switch {
	case s.Outputs > 0:
		s.Hint = "inference cannot move outputs of networks, so that a hard rule of them alone says nothing: give it a weight or a target"
	case s.NoTarget == s.Matches:
		s.Hint = "list the atoms to infer as targets"
	}
}

// unmatched names the atom of the join that matches nothing; depth is the number of steps that
// were matched together.
func (c *compiler) unmatched(r *rule, p *plan, depth int) (why, hint string) {
	for i := range r.join {
		a := &r.join[i]
		if a.pred.rows == 0 {
			return a.text + ": " + a.pred.name + " has no atoms", "give it data"
		}
	}
	for i := range r.join {
		a := &r.join[i]
		for col, t := range a.args {
			if t >= 0 || a.pred.some(col, func(id int32) bool { return id == ^t }) {
				continue
			}
			name := c.name(^t)
			why = fmt.Sprintf("%s: no atom of %s has the constant '%s' as argument %d", a.text, a.pred.name, name, col+1)
			if near := psl.Nearest(name, c.constants(a.pred, col)); near != "" {
				return why, "did you mean '" + near + "'?"
			}
			return why, "check the constant"
		}
	}
	if depth >= len(p.steps) {
		depth = len(p.steps) - 1
	}
	if depth < 0 {
		return "its comparisons never hold", "check them"
	}
	a := &r.join[p.steps[depth].atom]
	var with []string
	for _, s := range p.steps[:depth] {
		with = append(with, r.join[s.atom].text)
	}
	if len(with) == 0 {
		return "no atom matches " + a.text, "check the comparisons"
	}
	hint = "check that the same constants stand in both"
	if len(p.steps[depth].where) > 0 {
		hint += ", and the comparisons"
	}
	return a.text + " never matches together with " + strings.Join(with, " & "), hint
}

// some reports whether a column has a constant that is asked for.
func (p *predicate) some(col int, is func(id int32) bool) bool {
	for i := col; i < len(p.args); i += p.arity {
		if is(p.args[i]) {
			return true
		}
	}
	return false
}

// maxSuggested is the number of constants that are searched for the nearest.
const maxSuggested = 10000

// constants lists the different constants of a column, at most maxSuggested.
func (c *compiler) constants(p *predicate, col int) []string {
	var ids []int32
	for i := col; i < len(p.args) && len(ids) < maxSuggested; i += p.arity {
		ids = append(ids, p.args[i])
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = c.name(id)
	}
	return names
}
