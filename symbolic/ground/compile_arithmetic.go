package ground

import (
	"fmt"
	"maps"
	"slices"

	"hinge/symbolic/psl"
)

// maxSplit is the largest number of rules that the disjunctions in the filters
// of one rule may make.
const maxSplit = 256

// arithmetic compiles Left Rel Right to Left - Right Rel 0. Each combination of disjuncts of
// the filters gives a separate rule.
func (s *scope) arithmetic() []*rule {
	r, a := s.rule, s.rule.src.Arithmetic
	var atoms []*psl.Atom
	for _, side := range []*psl.Linear{&a.Left, &a.Right} {
		for _, t := range side.Terms {
			atoms = append(atoms, t.Atom)
		}
	}
	order := s.declare(atoms)
	rest := s.unify(a.Where)
	s.number(order)
	for _, x := range atoms {
		for _, arg := range x.Args {
			if arg.Kind == psl.Summation {
				s.slots[arg.Name] = term(len(r.vars))
				r.vars = append(r.vars, arg.Name)
			}
		}
	}
	for _, cmp := range rest {
		s.addWhere(cmp, false)
	}
	r.rel = a.Rel
	r.counted = map[string]term{}
	for i, side := range []*psl.Linear{&a.Left, &a.Right} {
		sign := 1 - 2*float64(i)
		for _, t := range side.Terms {
			r.terms = append(r.terms, s.linearTerm(t.Coef, sign, s.addJoin(s.pattern(t.Atom), t.Atom)))
		}
		if side.Const != nil {
			r.constant = append(r.constant, s.linearTerm(side.Const, sign, -1))
		}
	}
	s.domains(atoms)
	return s.split(a.Filters)
}

// domains notes the values of counted summation variables of closed predicates:
// |B| counts all values that the predicate has for B, since an atom that is not
// in the data is there, and false. atoms are those of the join.
func (s *scope) domains(atoms []*psl.Atom) {
	r := s.rule
	for i := range r.join {
		a := &r.join[i]
		if a.pred.open() {
			continue
		}
		counted := false
		for _, slot := range r.counted {
			for col, t := range a.args {
				counted = counted || a.sums>>col&1 != 0 && t == slot
			}
		}
		if counted {
			a.domain = a.values(atoms[i].Args)
		}
	}
}

// values returns the values of each summation column, among the rows that agree with the constants
// and the repeated variables of the atom as it is written: what a comparison makes equal counts on.
func (a *joinAtom) values(written []psl.Arg) [][]int32 {
	first := make([]int, len(written))
	for col, arg := range written {
		first[col] = slices.IndexFunc(written, func(x psl.Arg) bool { return x.Kind == arg.Kind && x.Name == arg.Name })
	}
	domain := make([][]int32, len(a.args))
rows:
	for row := range int32(a.pred.rows) {
		tuple := a.pred.row(row)
		for col, arg := range written {
			if arg.Kind == psl.Constant && tuple[col] != ^a.args[col] || tuple[col] != tuple[first[col]] {
				continue rows
			}
		}
		for col := range a.args {
			if a.sums>>col&1 != 0 {
				domain[col] = append(domain[col], tuple[col])
			}
		}
	}
	for col := range domain {
		slices.Sort(domain[col])
		domain[col] = slices.Compact(domain[col])
	}
	return domain
}

func (s *scope) linearTerm(e psl.Expr, sign float64, join int) linearTerm {
	t := linearTerm{coef: e, sign: sign, join: join}
	if n, ok := e.(psl.Number); ok {
		t.number, t.isNumber = float64(n), true
	}
	s.count(e)
	return t
}

// count notes the summation variables whose values have to be counted.
func (s *scope) count(e psl.Expr) {
	switch e := e.(type) {
	case psl.Cardinality:
		s.rule.counted[e.Var] = s.slots[e.Var]
	case *psl.Binary:
		s.count(e.X)
		s.count(e.Y)
	}
}

// split distributes the filters' disjunctions over rules.
func (s *scope) split(filters []psl.Filter) []*rule {
	rules := []*rule{s.rule}
	for _, f := range filters {
		conjunctions := s.normal(f.Cond, f)
		if len(rules)*len(conjunctions) > maxSplit {
			panic(s.tooMany(f))
		}
		var next []*rule
		for _, r := range rules {
			for _, conj := range conjunctions {
				split := *r
				split.filters = maps.Clone(r.filters)
				if split.filters == nil {
					split.filters = map[term][]filterLiteral{}
				}
				split.filters[s.slots[f.Var]] = conj
				next = append(next, &split)
			}
		}
		rules = next
	}
	return rules
}

func (s *scope) tooMany(f psl.Filter) *psl.Error {
	return s.rule.src.ErrorAt(f.Pos, fmt.Sprintf("the filters have more than %d alternatives", maxSplit),
		"each alternative of a filter makes a rule of its own")
}

// normal returns the disjunctive normal form of a condition.
func (s *scope) normal(c *psl.Cond, f psl.Filter) [][]filterLiteral {
	if c.Op == psl.Leaf {
		return [][]filterLiteral{{s.filterLiteral(&c.Literal)}}
	}
	var all [][]filterLiteral
	if c.Op == psl.And {
		all = [][]filterLiteral{nil}
	}
	for _, part := range c.Parts {
		one := s.normal(part, f)
		if c.Op == psl.Or {
			all = append(all, one...)
		} else {
			var product [][]filterLiteral
			for _, x := range all {
				for _, y := range one {
					product = append(product, slices.Concat(x, y))
				}
				if len(product) > maxSplit {
					panic(s.tooMany(f))
				}
			}
			all = product
		}
		if len(all) > maxSplit {
			panic(s.tooMany(f))
		}
	}
	return all
}

func (s *scope) filterLiteral(l *psl.Literal) filterLiteral {
	if l.Compare != nil {
		w := s.comparison(*l.Compare, l.Negated)
		return filterLiteral{compare: &w}
	}
	p := s.pattern(l.Atom)
	if p.pred.open() {
		panic(s.rule.src.ErrorAt(l.Atom.Pos, "the filter asks for "+p.pred.name+", which has targets or is neural",
			"a filter must be decided by the data: use predicates that are only observed"))
	}
	return filterLiteral{pattern: p, negated: l.Negated}
}
