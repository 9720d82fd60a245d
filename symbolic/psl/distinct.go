package psl

import (
	"slices"
	"strings"
)

// Distinct removes rules that mean the same as an earlier rule, whatever their weights, as the
// reference system does. It returns a warning for each removed rule.
//
// Two logical rules mean the same if they forbid the same set of literals, so a rule equals
// its contrapositive, and a repeated literal counts once. Two arithmetic rules mean the same
// if all terms on one side agree one by one. Both rules must be hard, or soft with the same
// exponent. Names of variables count: A(X) -> B(X) and A(Y) -> B(Y) are two rules.
func (p *Program) Distinct() []Warning {
	var warnings []Warning
	seen := map[string]*Rule{}
	p.Rules = slices.DeleteFunc(p.Rules, func(r *Rule) bool {
		key := r.meaning()
		first, ok := seen[key]
		if !ok {
			seen[key] = r
			return false
		}
		msg := "the rule is left out: it says the same as that at " + first.Pos.String()
		if !r.Hard && r.Weight != first.Weight {
			msg += ", whose weight " + formatNumber(first.Weight) + " counts, not " + formatNumber(r.Weight)
		}
		warnings = append(warnings, Warning{Pos: r.Pos, Msg: msg, Hint: "remove one of the two"})
		return true
	})
	return warnings
}

// meaning returns a text that is equal for rules that mean the same.
func (r *Rule) meaning() string {
	var b strings.Builder
	switch {
	case r.Hard:
		b.WriteString("hard ")
	case r.Squared:
		b.WriteString("squared ")
	}
	if l := r.Logical; l != nil {
		var all []string
		for _, x := range l.Conjunction() {
			all = append(all, x.Meaning())
		}
		slices.Sort(all)
		b.WriteString("logical " + strings.Join(slices.Compact(all), " & "))
		return b.String()
	}
	a := r.Arithmetic
	whole := Linear{Terms: slices.Clone(a.Left.Terms)}
	for _, t := range a.Right.Terms {
		whole.Terms = append(whole.Terms, Term{Coef: negate(t.Coef), Atom: t.Atom})
	}
	for _, t := range whole.Terms {
		printExpr(&b, t.Coef)
		b.WriteString(" * " + t.Atom.capital().String() + " + ")
	}
	if k, err := binary(Sub, a.Left.Const, a.Right.Const); err == nil {
		printExpr(&b, k)
	}
	b.WriteString([]string{" <= 0", " >= 0", " = 0"}[a.Rel])
	for _, c := range a.Where {
		b.WriteString(c.text())
	}
	var filters []string
	for _, f := range a.Filters {
		filters = append(filters, f.text())
	}
	slices.Sort(filters)
	b.WriteString(strings.Join(filters, ""))
	return b.String()
}

// Meaning is the text of a literal with the name of its predicate in capitals:
// names are matched without regard to case, so that literals with one meaning
// are one.
func (l *Literal) Meaning() string {
	m := *l
	if l.Atom != nil {
		m.Atom = l.Atom.capital()
	}
	return m.text()
}

// capital returns the atom with the name of its predicate in capitals.
func (a *Atom) capital() *Atom { return &Atom{Predicate: strings.ToUpper(a.Predicate), Args: a.Args} }

// Repeated returns a warning for each logical rule in which a literal occurs
// twice: the reference system counts it once.
func (p *Program) Repeated() []Warning {
	var warnings []Warning
	for _, r := range p.Rules {
		if r.Logical == nil {
			continue
		}
		seen := map[string]bool{}
		for _, x := range r.Logical.Conjunction() {
			if key := x.Meaning(); !seen[key] {
				seen[key] = true
			} else if x.Atom != nil {
				warnings = append(warnings, Warning{Pos: x.Atom.Pos, Msg: x.Atom.String() + " occurs twice in the rule and counts once", Hint: "remove one of the two"})
			}
		}
	}
	return warnings
}
