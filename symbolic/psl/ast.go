package psl

import (
	"slices"
	"strconv"
)

// Program is a list of rules in source order.
type Program struct {
	Rules []*Rule
	// Warnings are doubts about the source, in the order of their places.
	Warnings []Warning
}

// Warning is a doubt: something that is read, but that is probably not meant,
// or that the reference system reads otherwise.
type Warning struct {
	Pos Pos
	Msg string
	// Hint describes how to mend the rule; it may be empty.
	Hint string
}

// String returns file:line:col: message (hint) on one line.
func (w Warning) String() string {
	s := w.Msg
	if w.Pos.Line > 0 {
		s = w.Pos.String() + ": " + s
	} else if w.Pos.File != "" {
		s = w.Pos.File + ": " + s
	}
	if w.Hint != "" {
		s += " (" + w.Hint + ")"
	}
	return s
}

// Pos is a place in a source: the file name as given to Parse, the line and
// the column, both from 1; columns count characters, not bytes.
type Pos struct {
	File      string
	Line, Col int
}

// String returns file:line:col, or line:col without a file name.
func (p Pos) String() string {
	s := strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
	if p.File == "" {
		return s
	}
	return p.File + ":" + s
}

// Rule is one first-order rule. Exactly one of Logical and Arithmetic is set.
type Rule struct {
	Pos Pos
	// Hard rules are constraints and have neither weight nor exponent.
	Hard bool
	// Weight is the weight of a soft rule, finite and ≥ 0.
	Weight float64
	// Squared tells p = 2 from p = 1 in the potential max(0, ·)^p.
	Squared bool

	Logical    *Logical
	Arithmetic *Arithmetic

	src *source
	// weight is the token of the weight, for Rewrite.
	weight token
}

// Logical is the clause Body[0] & … -> Head[0] | …; without a body it is the
// disjunction of the head alone.
type Logical struct {
	Body, Head []Literal
}

// Conjunction returns the literals that the clause forbids to be true together: the literals
// of the body and the negated literals of the head.
func (l *Logical) Conjunction() []Literal {
	all := slices.Clone(l.Body)
	for _, x := range l.Head {
		x.Negated = !x.Negated
		all = append(all, x)
	}
	return all
}

// Literal is an atom or a comparison (exactly one is set), possibly negated.
type Literal struct {
	Negated bool
	Atom    *Atom
	Compare *Compare
}

// args returns the arguments of the atom or comparison.
func (l *Literal) args() []Arg {
	if l.Atom != nil {
		return l.Atom.Args
	}
	return []Arg{l.Compare.Left, l.Compare.Right}
}

// Atom is a predicate with its arguments.
type Atom struct {
	Pos       Pos
	Predicate string
	Args      []Arg
}

// ArgKind is the kind of an argument.
type ArgKind uint8

const (
	// Variable is a bare name.
	Variable ArgKind = iota
	// Constant is a quoted name.
	Constant
	// Summation is a name after a plus sign; only in arithmetic rules.
	Summation
)

// Arg is an argument: a variable, a constant (Name is unquoted) or a
// summation variable (Name is without the plus sign).
type Arg struct {
	Pos  Pos
	Kind ArgKind
	Name string
}

// CompareOp is a term operator.
type CompareOp uint8

const (
	// Equal is A == B.
	Equal CompareOp = iota
	// NotEqual is A != B, also written A - B.
	NotEqual
	// Before is A % B, also written A ^ B: A comes before B. Of the two orders
	// of a pair it keeps one.
	Before
)

// Compare restricts the groundings by comparing two arguments.
type Compare struct {
	Pos         Pos
	Op          CompareOp
	Left, Right Arg
}

// Relation is the relation of an arithmetic rule.
type Relation uint8

const (
	// LessEqual is <=.
	LessEqual Relation = iota
	// GreaterEqual is >=.
	GreaterEqual
	// Same is =.
	Same
)

// Arithmetic is the rule Left Rel Right. Where holds the comparisons used as
// operands: they restrict the groundings and have no share in the potential.
type Arithmetic struct {
	Left, Right Linear
	Rel         Relation
	Where       []Compare
	Filters     []Filter
}

// Linear is the expression Σ Terms + Const.
type Linear struct {
	Terms []Term
	// Const is nil for 0.
	Const Expr
}

// Term is one coefficient with its atom.
type Term struct {
	Coef Expr
	Atom *Atom
}

// Filter restricts the values of the summation variable Var.
type Filter struct {
	Pos  Pos
	Var  string
	Cond *Cond
}

// CondOp is the connective of a filter condition.
type CondOp uint8

const (
	// Leaf is a single literal.
	Leaf CondOp = iota
	// And is a conjunction.
	And
	// Or is a disjunction.
	Or
)

// Cond is a filter condition: a literal or a connective over conditions. A
// literal over an atom is true when the atom's value is greater than 0.
type Cond struct {
	Op      CondOp
	Literal Literal
	Parts   []*Cond
}

// Atoms returns the atoms of the rule, filters included, in the order body,
// head, left side, right side, filters.
func (r *Rule) Atoms() []*Atom {
	var all []*Atom
	add := func(l *Literal) {
		if l.Atom != nil {
			all = append(all, l.Atom)
		}
	}
	if l := r.Logical; l != nil {
		for _, x := range slices.Concat(l.Body, l.Head) {
			add(&x)
		}
		return all
	}
	for _, side := range []*Linear{&r.Arithmetic.Left, &r.Arithmetic.Right} {
		for i := range side.Terms {
			all = append(all, side.Terms[i].Atom)
		}
	}
	for i := range r.Arithmetic.Filters {
		r.Arithmetic.Filters[i].Cond.literals(add)
	}
	return all
}

// literals calls yield for each leaf.
func (c *Cond) literals(yield func(*Literal)) {
	if c.Op == Leaf {
		yield(&c.Literal)
		return
	}
	for _, p := range c.Parts {
		p.literals(yield)
	}
}
