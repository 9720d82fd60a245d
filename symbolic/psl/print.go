package psl

import (
	"strconv"
	"strings"
)

// String prints the program, one rule a line, in canonical form.
func (p *Program) String() string {
	var b strings.Builder
	for _, r := range p.Rules {
		r.print(&b)
		b.WriteByte('\n')
	}
	return b.String()
}

// String prints the rule in canonical form: one space around operators,
// implications from left to right, constants in single quotes, sums with their
// constant last. Parsing it gives an equal rule.
func (r *Rule) String() string {
	var b strings.Builder
	r.print(&b)
	return b.String()
}

func (r *Rule) print(b *strings.Builder) {
	if !r.Hard {
		b.WriteString(formatNumber(r.Weight) + ": ")
	}
	if r.Logical != nil {
		r.Logical.print(b)
	} else {
		r.Arithmetic.print(b, r.Hard)
	}
	switch {
	case r.Hard:
		b.WriteString(" .")
	case r.Squared:
		b.WriteString(" ^2")
	}
	if r.Arithmetic != nil {
		for _, f := range r.Arithmetic.Filters {
			b.WriteString(" {" + f.Var + ": ")
			f.Cond.print(b, false)
			b.WriteByte('}')
		}
	}
}

func (l *Logical) print(b *strings.Builder) {
	join := func(ls []Literal, by string) {
		for i := range ls {
			if i > 0 {
				b.WriteString(by)
			}
			ls[i].print(b)
		}
	}
	if len(l.Body) > 0 {
		join(l.Body, " & ")
		b.WriteString(" -> ")
	}
	join(l.Head, " | ")
}

func (l *Literal) print(b *strings.Builder) {
	if l.Negated {
		b.WriteByte('!')
	}
	if l.Atom != nil {
		l.Atom.print(b)
		return
	}
	l.Compare.print(b)
}

func (a *Atom) print(b *strings.Builder) {
	b.WriteString(a.Predicate + "(")
	for i := range a.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		a.Args[i].print(b)
	}
	b.WriteByte(')')
}

// String prints the atom.
func (a *Atom) String() string {
	var b strings.Builder
	a.print(&b)
	return b.String()
}

func (a *Arg) print(b *strings.Builder) {
	switch a.Kind {
	case Constant:
		b.WriteString(Quote(a.Name))
	case Summation:
		b.WriteString("+" + a.Name)
	default:
		b.WriteString(a.Name)
	}
}

func (c *Compare) print(b *strings.Builder) {
	b.WriteByte('(')
	c.Left.print(b)
	b.WriteString([]string{" == ", " != ", " % "}[c.Op])
	c.Right.print(b)
	b.WriteByte(')')
}

// print begins a rule without weight with 0 rather than with a minus sign,
// which would continue the rule on the line before.
func (a *Arithmetic) print(b *strings.Builder, hard bool) {
	a.Left.print(b, a.Where, hard)
	b.WriteString([]string{" <= ", " >= ", " = "}[a.Rel])
	a.Right.print(b, nil, false)
}

func (l *Linear) print(b *strings.Builder, where []Compare, noSign bool) {
	first := true
	sign := func(negative bool) {
		switch {
		case negative && first && noSign:
			b.WriteString("0 - ")
		case negative && first:
			b.WriteByte('-')
		case negative:
			b.WriteString(" - ")
		case !first:
			b.WriteString(" + ")
		}
		first = false
	}
	for _, t := range l.Terms {
		k, isNumber := t.Coef.(Number)
		sign(isNumber && k < 0)
		if isNumber {
			k = max(k, -k)
		}
		switch {
		case !isNumber:
			printExpr(b, t.Coef)
			b.WriteString(" * ")
		case k != 1:
			b.WriteString(formatNumber(float64(k)) + " * ")
		}
		t.Atom.print(b)
	}
	for i := range where {
		sign(false)
		b.WriteString("0 * ")
		where[i].print(b)
	}
	k, isNumber := l.Const.(Number)
	switch {
	case isNumber:
		sign(k < 0)
		b.WriteString(formatNumber(float64(max(k, -k))))
	case l.Const != nil:
		sign(false)
		printExpr(b, l.Const)
	case first:
		b.WriteByte('0')
	}
}

// printExpr prints e with parentheses around every operation, so that it can
// stand anywhere.
func printExpr(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case Number:
		b.WriteString(formatNumber(float64(e)))
	case Cardinality:
		b.WriteString("|" + e.Var + "|")
	case *Binary:
		open, by, end := "(", [...]string{" + ", " - ", " * ", " / ", ", ", ", "}[e.Op], ")"
		switch e.Op {
		case Min:
			open, end = "@Min[", "]"
		case Max:
			open, end = "@Max[", "]"
		}
		b.WriteString(open)
		printExpr(b, e.X)
		b.WriteString(by)
		printExpr(b, e.Y)
		b.WriteString(end)
	}
}

func (c *Cond) print(b *strings.Builder, inAnd bool) {
	if c.Op == Leaf {
		c.Literal.print(b)
		return
	}
	by := " & "
	if c.Op == Or {
		by = " | "
	}
	if inAnd {
		b.WriteByte('(')
	}
	for i, p := range c.Parts {
		if i > 0 {
			b.WriteString(by)
		}
		p.print(b, c.Op == And)
	}
	if inAnd {
		b.WriteByte(')')
	}
}

// formatNumber gives the shortest decimal that reads back as v.
func formatNumber(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Quote writes a constant, in single quotes.
func Quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + "'"
}
