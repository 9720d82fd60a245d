package psl

import (
	"strconv"
	"strings"
)

// String prints the program, one rule a line, in canonical form.
func (p *Program) String() string {
	var b strings.Builder
	for _, r := range p.Rules {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// String prints the rule in canonical form: one space around operators,
// implications from left to right, constants in single quotes, sums with their
// constant last. Parsing it gives an equal rule.
func (r *Rule) String() string {
	text := ""
	if !r.Hard {
		text = formatNumber(r.Weight) + ": "
	}
	filters := ""
	if r.Logical != nil {
		text += r.Logical.text()
	} else {
		text += r.Arithmetic.text(r.Hard)
		filters = joined(r.Arithmetic.Filters, "", (*Filter).text)
	}
	switch {
	case r.Hard:
		text += " ."
	case r.Squared:
		text += " ^2"
	}
	return text + filters
}

// joined prints the elements of a list.
func joined[T any](list []T, by string, text func(*T) string) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = text(&list[i])
	}
	return strings.Join(texts, by)
}

func (f *Filter) text() string { return " {" + f.Var + ": " + f.Cond.text(false) + "}" }

func (l *Logical) text() string {
	head := joined(l.Head, " | ", (*Literal).text)
	if len(l.Body) == 0 {
		return head
	}
	return joined(l.Body, " & ", (*Literal).text) + " -> " + head
}

func (l *Literal) text() string {
	text := ""
	if l.Negated {
		text = "!"
	}
	if l.Atom != nil {
		return text + l.Atom.String()
	}
	return text + l.Compare.text()
}

// String prints the atom.
func (a *Atom) String() string {
	return a.Predicate + "(" + joined(a.Args, ", ", (*Arg).text) + ")"
}

func (a *Arg) text() string {
	switch a.Kind {
	case Constant:
		return Quote(a.Name)
	case Summation:
		return "+" + a.Name
	}
	return a.Name
}

func (c *Compare) text() string {
	return "(" + c.Left.text() + []string{" == ", " != ", " % "}[c.Op] + c.Right.text() + ")"
}

// text begins a rule without weight with 0 rather than with a minus sign,
// which would continue the rule on the line before.
func (a *Arithmetic) text(hard bool) string {
	return a.Left.text(a.Where, hard) + []string{" <= ", " >= ", " = "}[a.Rel] + a.Right.text(nil, false)
}

func (l *Linear) text(where []Compare, noSign bool) string {
	var b strings.Builder
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
			printExpr(&b, t.Coef)
			b.WriteString(" * ")
		case k != 1:
			b.WriteString(formatNumber(float64(k)) + " * ")
		}
		b.WriteString(t.Atom.String())
	}
	for i := range where {
		sign(false)
		b.WriteString("0 * " + where[i].text())
	}
	k, isNumber := l.Const.(Number)
	switch {
	case isNumber:
		sign(k < 0)
		b.WriteString(formatNumber(float64(max(k, -k))))
	case l.Const != nil:
		sign(false)
		printExpr(&b, l.Const)
	case first:
		b.WriteByte('0')
	}
	return b.String()
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

func (c *Cond) text(inAnd bool) string {
	if c.Op == Leaf {
		return c.Literal.text()
	}
	by := " & "
	if c.Op == Or {
		by = " | "
	}
	text := joined(c.Parts, by, func(p **Cond) string { return (*p).text(c.Op == And) })
	if inAnd {
		return "(" + text + ")"
	}
	return text
}

// formatNumber gives the shortest decimal that reads back as v.
func formatNumber(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Quote writes a constant, in single quotes.
func Quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + "'"
}
