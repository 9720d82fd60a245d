package ground_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// fact is an atom of the oracle's database.
type fact struct {
	kind  ground.Kind
	value float64
}

// oracle grounds by trying every constant for every variable. It shares no
// code with the package but the syntax tree.
type oracle struct {
	facts     map[string]fact // by "Pred(a,b)"
	open      map[string]bool // predicates with targets or deep atoms
	constants []string
	drop      bool // drop groundings with missing atoms
	missing   bool // set when a grounding needs an unspecified atom
	infinite  bool // set when a grounding divides by zero
}

type binding map[string]string

func (o *oracle) value(a psl.Arg, b binding) string {
	if a.Kind == psl.Constant {
		return a.Name
	}
	return b[a.Name]
}

func (o *oracle) name(a *psl.Atom, b binding) string {
	args := make([]string, len(a.Args))
	for i, x := range a.Args {
		args[i] = o.value(x, b)
	}
	return a.Predicate + "(" + strings.Join(args, ",") + ")"
}

func (o *oracle) compare(c *psl.Compare, b binding) bool {
	left, right := o.value(c.Left, b), o.value(c.Right, b)
	switch c.Op {
	case psl.Equal:
		return left == right
	case psl.NotEqual:
		return left != right
	}
	x, errX := strconv.Atoi(left)
	y, errY := strconv.Atoi(right)
	if errX == nil && errY == nil {
		return x < y
	}
	return left < right
}

// each calls f for every assignment of the variables.
func (o *oracle) each(vars []string, b binding, f func()) {
	if len(vars) == 0 {
		f()
		return
	}
	for _, c := range o.constants {
		b[vars[0]] = c
		o.each(vars[1:], b, f)
	}
	delete(b, vars[0])
}

// row is a ground row: coefficients by atom name, and a constant.
type row struct {
	targets, deep map[string]float64
	constant      float64
	signs         map[string]int // signs seen of each atom, as a bit set
	atoms         int
}

func newRow(k float64) *row {
	return &row{targets: map[string]float64{}, deep: map[string]float64{}, constant: k, signs: map[string]int{}}
}

func (r *row) add(name string, f fact, coef float64) {
	r.atoms++
	switch f.kind {
	case ground.Observed:
		r.constant += coef * f.value
		return
	case ground.Target:
		r.targets[name] += coef
	default:
		r.deep[name] += coef
	}
	bit := 1
	if coef > 0 {
		bit = 2
	} else if coef < 0 {
		bit = 4
	}
	r.signs[name] |= bit
}

func (r *row) opposed() bool {
	for _, s := range r.signs {
		if s&(s-1) != 0 {
			return true
		}
	}
	return false
}

// without reports whether the row has no target, and, of a potential, no output that counts.
func (r *row) without(hard bool) bool {
	for name := range r.deep {
		if !hard && r.signs[name] != 1 {
			return false
		}
	}
	return len(r.targets) == 0
}

func (r *row) finite() bool {
	sum := r.constant
	for _, m := range []map[string]float64{r.targets, r.deep} {
		for _, v := range m {
			sum += math.Abs(v)
		}
	}
	return !math.IsInf(sum, 0) && !math.IsNaN(sum)
}

// key prints the row times sign; coefficients that are 0 are left out.
func (r *row) key(kind string, sign float64) string {
	return kind + rowKey(r.targets, r.deep, r.constant, sign)
}

func rowKey(targets, deep map[string]float64, constant, sign float64) string {
	var b strings.Builder
	for _, m := range []map[string]float64{targets, deep} {
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		sort.Strings(names)
		b.WriteString(" |")
		for _, n := range names {
			if v := math.Round(m[n]*sign*1e9) / 1e9; v != 0 {
				fmt.Fprintf(&b, " %g*%s", v, n)
			}
		}
	}
	fmt.Fprintf(&b, " | %g", math.Round(constant*sign*1e9)/1e9+0)
	return b.String()
}

// ground returns the ground rows of a rule, sorted.
func (o *oracle) ground(r *psl.Rule) []string {
	var rows []string
	if r.Logical != nil {
		rows = o.logical(r)
	} else {
		for _, filters := range splitFilters(r.Arithmetic.Filters) {
			rows = append(rows, o.arithmetic(r, filters)...)
		}
	}
	slices.Sort(rows)
	return rows
}

func variables(atoms []*psl.Atom, kind psl.ArgKind) []string {
	var vars []string
	for _, a := range atoms {
		for _, x := range a.Args {
			if x.Kind == kind && !slices.Contains(vars, x.Name) {
				vars = append(vars, x.Name)
			}
		}
	}
	return vars
}

func (o *oracle) logical(r *psl.Rule) (rows []string) {
	var conj []psl.Literal
	written := map[string]bool{}
	for side, ls := range [][]psl.Literal{r.Logical.Body, r.Logical.Head} {
		for _, l := range ls {
			l.Negated = l.Negated != (side == 1)
			if text := (&psl.Rule{Hard: true, Logical: &psl.Logical{Head: []psl.Literal{l}}}).String(); !written[text] {
				written[text] = true
				conj = append(conj, l)
			}
		}
	}
	var atoms []*psl.Atom
	for _, l := range conj {
		if l.Atom != nil {
			atoms = append(atoms, l.Atom)
		}
	}
	b := binding{}
	o.each(variables(atoms, psl.Variable), b, func() {
		k := newRow(1)
		satisfied, missing := false, false
		for _, l := range conj {
			if l.Compare != nil {
				if o.compare(l.Compare, b) == l.Negated {
					return
				}
				continue
			}
			name := o.name(l.Atom, b)
			f, ok := o.facts[name]
			switch {
			case !ok && !l.Negated:
				return
			case !ok && o.open[l.Atom.Predicate]:
				missing = true
				continue
			}
			goal := 0.0
			if l.Negated {
				goal = 1
				k.add(name, f, -1)
			} else {
				k.add(name, f, 1)
				k.constant--
			}
			satisfied = satisfied || f.kind == ground.Observed && math.Abs(f.value-goal) <= 1e-4
		}
		switch {
		case satisfied:
		case missing:
			o.missing = o.missing || !o.drop
		case k.without(r.Hard) || k.opposed():
		default:
			kind := "soft"
			if r.Hard {
				kind = "<="
			}
			rows = append(rows, k.key(kind, 1))
		}
	})
	return rows
}

// splitFilters returns one set of conjunctions for each way to choose a
// disjunct in every filter.
func splitFilters(filters []psl.Filter) []map[string][]psl.Literal {
	all := []map[string][]psl.Literal{{}}
	for _, f := range filters {
		var next []map[string][]psl.Literal
		for _, m := range all {
			for _, conj := range disjuncts(f.Cond) {
				n := map[string][]psl.Literal{f.Var: conj}
				for v, c := range m {
					n[v] = c
				}
				next = append(next, n)
			}
		}
		all = next
	}
	return all
}

func disjuncts(c *psl.Cond) [][]psl.Literal {
	switch c.Op {
	case psl.Leaf:
		return [][]psl.Literal{{c.Literal}}
	case psl.Or:
		var all [][]psl.Literal
		for _, p := range c.Parts {
			all = append(all, disjuncts(p)...)
		}
		return all
	}
	all := [][]psl.Literal{{}}
	for _, p := range c.Parts {
		var next [][]psl.Literal
		for _, x := range all {
			for _, y := range disjuncts(p) {
				next = append(next, append(slices.Clone(x), y...))
			}
		}
		all = next
	}
	return all
}

func (o *oracle) arithmetic(r *psl.Rule, filters map[string][]psl.Literal) (rows []string) {
	a := r.Arithmetic
	type signedTerm struct {
		psl.Term
		sign float64
	}
	var terms []signedTerm
	var atoms []*psl.Atom
	for i, side := range []psl.Linear{a.Left, a.Right} {
		for _, t := range side.Terms {
			terms = append(terms, signedTerm{t, float64(1 - 2*i)})
			atoms = append(atoms, t.Atom)
		}
	}
	b := binding{}
	o.each(variables(atoms, psl.Variable), b, func() {
		for i := range a.Where {
			if !o.compare(&a.Where[i], b) {
				return
			}
		}
		// The atoms that each term stands for, before and after the filters.
		kept := make([][]string, len(terms))
		count := map[string]int{}
		for i, t := range terms {
			any := false
			sums := variables([]*psl.Atom{t.Atom}, psl.Summation)
			o.each(sums, b, func() {
				name := o.name(t.Atom, b)
				if _, ok := o.facts[name]; !ok {
					return
				}
				any = true
				for _, v := range sums {
					if !o.passes(filters[v], b) {
						return
					}
				}
				kept[i] = append(kept[i], name)
			})
			if !any {
				return
			}
			n := len(kept[i])
			if !o.open[t.Atom.Predicate] {
				n = o.combinations(t.Atom, sums, filters, b)
			}
			for _, v := range sums {
				count[v] += n
			}
		}
		k := newRow(eval(a.Left.Const, count) - eval(a.Right.Const, count))
		for i, t := range terms {
			for _, name := range kept[i] {
				k.add(name, o.facts[name], t.sign*eval(t.Coef, count))
			}
		}
		if !k.without(r.Hard) && !k.finite() {
			o.infinite = true
			return
		}
		if k.without(r.Hard) || !r.Hard && k.opposed() {
			return
		}
		if r.Hard && a.Rel == psl.Same {
			rows = append(rows, k.key("=", 1))
			return
		}
		kind := "soft"
		if r.Hard {
			kind = "<="
		}
		for _, sign := range []float64{1, -1} {
			if sign == 1 && a.Rel == psl.GreaterEqual || sign == -1 && a.Rel == psl.LessEqual {
				continue
			}
			if k.atoms == 1 && len(k.targets) == 1 {
				coef := 0.0
				for _, c := range k.targets {
					coef = c * sign
				}
				if k.constant*sign <= 0 && k.constant*sign+coef <= 0 {
					continue
				}
			}
			rows = append(rows, k.key(kind, sign))
		}
	})
	return rows
}

func eval(e psl.Expr, count map[string]int) float64 {
	switch e := e.(type) {
	case nil:
		return 0
	case psl.Number:
		return float64(e)
	case psl.Cardinality:
		return float64(count[e.Var])
	case *psl.Binary:
		x, y := eval(e.X, count), eval(e.Y, count)
		return map[psl.BinaryOp]float64{psl.Add: x + y, psl.Sub: x - y, psl.Mul: x * y, psl.Div: x / y,
			psl.Min: math.Min(x, y), psl.Max: math.Max(x, y)}[e.Op]
	}
	panic("unknown expression")
}
