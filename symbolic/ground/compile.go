package ground

import (
	"cmp"
	"fmt"
	"slices"

	"hinge/symbolic/psl"
)

// A term is a variable (≥ 0, its slot) or a constant (< 0, ^id).
type term = int32

// valueOf returns the constant of a term under the bindings of the variables.
func valueOf(t term, bind []int32) int32 {
	if t < 0 {
		return ^t
	}
	return bind[t]
}

// pattern is an atom of a rule: a predicate over terms.
type pattern struct {
	pred *predicate
	args []term
}

// joinAtom is an atom that finds groundings: every grounding matches it. sums
// is the set of columns that hold summation variables; they are left out of
// the join.
type joinAtom struct {
	pattern
	sums uint64
	text string
	// domain holds, for an atom of a closed predicate whose summation variables
	// are counted, the values of each of its columns.
	domain [][]int32
}

// comparison restricts groundings.
type comparison struct {
	op          psl.CompareOp
	negated     bool
	order       order
	left, right term
}

// literal is one literal of the conjunction that a clause forbids: the body
// and the negated head. Its atom is a join atom (join ≥ 0) or looked up.
type literal struct {
	pattern
	negated bool
	join    int
	source  *psl.Atom
}

// linearTerm is a coefficient with the join atom it multiplies.
type linearTerm struct {
	coef psl.Expr
	// number is the coefficient if it does not depend on the grounding.
	number   float64
	isNumber bool
	sign     float64
	join     int
}

// filterLiteral is a literal of a filter condition: an atom of a closed
// predicate, or a comparison.
type filterLiteral struct {
	pattern
	negated bool
	compare *comparison
}

// rule is a first-order rule made ready for grounding: names resolved,
// variables numbered, filters without disjunctions.
type rule struct {
	src   *psl.Rule
	vars  []string // ordinary variables first, then summation variables
	bound int      // number of ordinary variables
	join  []joinAtom
	where []comparison

	literals []literal // of a logical rule
	positive int       // how many of them are not negated

	terms    []linearTerm // of an arithmetic rule: Σ terms + constant Rel 0
	constant []linearTerm // without atoms; join is unused
	rel      psl.Relation
	filters  map[term][]filterLiteral // conjunctions by summation variable
	counted  map[string]term          // summation variables inside |...|
}

// compiler turns the rules of a program into rules ready for grounding.
type compiler struct {
	db *Database
	// extra numbers the constants of rules that the database does not know.
	extra interner
}

// constant returns the number of a constant.
func (c *compiler) constant(name string) int32 {
	if id, ok := c.db.consts.ids[name]; ok {
		return id
	}
	return int32(len(c.db.consts.names)) + c.extra.id(name)
}

// name returns the constant with a number.
func (c *compiler) name(id int32) string {
	if n := int(id) - len(c.db.consts.names); n >= 0 {
		return c.extra.names[n]
	}
	return c.db.consts.names[id]
}

// compile returns the rule, or several if its filters hold disjunctions.
// The scope panics with the first mistake.
func (c *compiler) compile(src *psl.Rule) (rules []*rule, err *psl.Error) {
	defer func() {
		r := recover()
		if err, _ = r.(*psl.Error); r != nil && err == nil {
			panic(r)
		}
	}()
	s := &scope{c: c, rule: &rule{src: src}, slots: map[string]term{}, types: map[string]Type{}}
	if src.Logical != nil {
		s.logical()
		return []*rule{s.rule}, nil
	}
	return s.arithmetic(), nil
}

// scope is the state of compiling one rule.
type scope struct {
	c     *compiler
	rule  *rule
	slots map[string]term // variables; after unify possibly constants
	types map[string]Type // of variables, by the first atom that has them
}

// unify gives variables that == makes equal one slot, or the constant they
// are compared with; it returns the comparisons that remain.
func (s *scope) unify(compares []psl.Compare) []psl.Compare {
	var rest []psl.Compare
	for _, cmp := range compares {
		left, right := s.compared(cmp)
		if cmp.Op != psl.Equal || left < 0 && right < 0 {
			rest = append(rest, cmp)
			continue
		}
		if left < 0 {
			left, right = right, left
		}
		for name, slot := range s.slots {
			if slot == left {
				s.slots[name] = right
			}
		}
	}
	return rest
}

// number makes the slots of ordinary variables consecutive after unify.
func (s *scope) number(order []string) {
	renamed := map[term]term{}
	s.rule.vars = s.rule.vars[:0]
	for _, name := range order {
		slot := s.slots[name]
		if slot < 0 {
			continue
		}
		if _, ok := renamed[slot]; !ok {
			renamed[slot] = term(len(renamed))
			s.rule.vars = append(s.rule.vars, name)
		}
		s.slots[name] = renamed[slot]
	}
	s.rule.bound = len(s.rule.vars)
}

// declare gives each ordinary variable of the atoms a slot.
func (s *scope) declare(atoms []*psl.Atom) (order []string) {
	for _, a := range atoms {
		p := s.c.db.lookup(a.Predicate)
		for i, arg := range a.Args {
			if _, ok := s.types[arg.Name]; !ok && arg.Kind != psl.Constant && p != nil && i < p.arity {
				s.types[arg.Name] = p.typeOf(i)
			}
			if _, ok := s.slots[arg.Name]; !ok && arg.Kind == psl.Variable {
				s.slots[arg.Name] = term(len(order))
				order = append(order, arg.Name)
			}
		}
	}
	return order
}

// arg returns the term of an argument of the given type.
func (s *scope) arg(a psl.Arg, t Type) term {
	if a.Kind == psl.Constant {
		name, _ := t.canonical(a.Name) // a text that is not of the type equals nothing
		return ^s.c.constant(name)
	}
	return s.slots[a.Name]
}

// typeOf returns the type of a variable; a constant has the type of the argument it is
// compared with.
func (s *scope) typeOf(a, other psl.Arg) Type {
	if a.Kind == psl.Constant {
		a = other
	}
	return s.types[a.Name]
}

// compared returns the two sides of a comparison.
func (s *scope) compared(cmp psl.Compare) (left, right term) {
	return s.arg(cmp.Left, s.typeOf(cmp.Left, cmp.Right)), s.arg(cmp.Right, s.typeOf(cmp.Right, cmp.Left))
}

// comparison resolves a comparison.
func (s *scope) comparison(cmp psl.Compare, negated bool) comparison {
	w := comparison{op: cmp.Op, negated: negated, order: orderOf(s.typeOf(cmp.Left, cmp.Right), s.typeOf(cmp.Right, cmp.Left))}
	w.left, w.right = s.compared(cmp)
	return w
}

// pattern resolves an atom.
func (s *scope) pattern(a *psl.Atom) pattern {
	p := s.c.db.lookup(a.Predicate)
	if p == nil {
		var names []string
		for _, p := range s.c.db.preds {
			names = append(names, p.name)
		}
		panic(s.rule.src.ErrorAt(a.Pos, "unknown predicate "+a.Predicate, cmp.Or(psl.DidYouMean(a.Predicate, names), "declare it, or give it data")))
	}
	if len(a.Args) != p.arity {
		panic(s.rule.src.ErrorAt(a.Pos, fmt.Sprintf("%s has %s here, but is declared with %d", p.name, psl.Count(len(a.Args), "argument"), p.arity), ""))
	}
	pat := pattern{pred: p, args: make([]term, len(a.Args))}
	for i, arg := range a.Args {
		pat.args[i] = s.arg(arg, p.typeOf(i))
	}
	return pat
}

// addJoin adds an atom to the join and returns its number there.
func (s *scope) addJoin(p pattern, a *psl.Atom) int {
	j := joinAtom{pattern: p, text: a.String()}
	for i, arg := range a.Args {
		if arg.Kind == psl.Summation {
			j.sums |= 1 << i
		}
	}
	s.rule.join = append(s.rule.join, j)
	return len(s.rule.join) - 1
}

// addWhere adds a comparison to be decided once its variables are bound.
func (s *scope) addWhere(cmp psl.Compare, negated bool) {
	s.rule.where = append(s.rule.where, s.comparison(cmp, negated))
}

// logical compiles a clause to the conjunction that it forbids.
func (s *scope) logical() {
	// A clause is a set: a repeated literal counts once.
	seen := map[string]bool{}
	all := slices.DeleteFunc(s.rule.src.Logical.Conjunction(), func(x psl.Literal) bool {
		key := x.Meaning()
		again := seen[key]
		seen[key] = true
		return again
	})
	var joined []*psl.Atom
	var equal, other []psl.Compare
	for _, x := range all {
		switch {
		case x.Atom != nil && !x.Negated:
			joined = append(joined, x.Atom)
		case x.Compare != nil && !x.Negated && x.Compare.Op == psl.Equal:
			equal = append(equal, *x.Compare)
		case x.Compare != nil && !x.Negated:
			other = append(other, *x.Compare)
		}
	}
	order := s.declare(joined)
	other = append(other, s.unify(equal)...)
	s.number(order)
	for _, cmp := range other {
		s.addWhere(cmp, false)
	}
	for _, x := range all {
		if x.Compare != nil {
			if x.Negated {
				s.addWhere(*x.Compare, true)
			}
			continue
		}
		p := s.pattern(x.Atom)
		lit := literal{pattern: p, negated: x.Negated, join: -1, source: x.Atom}
		if !x.Negated {
			lit.join = s.addJoin(p, x.Atom)
			s.rule.positive++
		}
		s.rule.literals = append(s.rule.literals, lit)
	}
}
