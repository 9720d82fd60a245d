package ground

import (
	"slices"

	"hinge/symbolic/psl"
)

// step matches one join atom, given the variables bound by the steps before.
type step struct {
	atom int
	view *view
	// groups holds, for an atom with summation variables, the rows behind each
	// item of the view; nil otherwise.
	groups *index
	// key are the terms that are bound before the step; by indexes the view by
	// their columns, unless all columns are bound (exact) or none (a scan).
	key   []term
	by    func() *index
	exact bool
	// free columns bind variables; a variable that occurs twice in the atom is
	// compared by same.
	free, same []binding
	// where are the comparisons decided once the step has bound its variables.
	where []comparison
	// fanout estimates how many items match.
	fanout float64
}

// binding is a column of an atom and the slot of the variable in it.
type binding struct {
	col  int
	slot term
}

// plan is the order in which the atoms of a rule are joined.
type plan struct {
	rule  *rule
	first []comparison // comparisons between constants
	steps []step
	// groundings estimates the number of matches.
	groundings float64
	// empty reports whether a table has no rows, so that there is no match.
	empty bool
}

// newPlan orders the join greedily: next comes the atom with the fewest
// expected matches, so that small and well-bound atoms come first. Expected
// is the number of rows divided by the number of different constants in each
// bound column, as if columns were independent.
func newPlan(r *rule, ix *indexes, constants int) *plan {
	p := &plan{rule: r, groundings: 1}
	bound := make([]bool, len(r.vars))
	done := make([]bool, len(r.join))
	p.first = settled(r.where, bound, nil)
	for range r.join {
		best, fewest := -1, 0.0
		for i := range r.join {
			if done[i] {
				continue
			}
			if n := expected(&r.join[i], bound, ix, constants); best < 0 || n < fewest {
				best, fewest = i, n
			}
		}
		done[best] = true
		s := newStep(r, best, bound, ix)
		s.fanout = fewest
		p.groundings *= fewest
		before := slices.Clone(bound)
		for _, f := range s.free {
			bound[f.slot] = true
		}
		s.where = settled(r.where, bound, before)
		p.steps = append(p.steps, s)
	}
	p.empty = p.groundings == 0
	return p
}

// settled returns the comparisons whose variables are all bound now but were not all bound
// before; a nil before means that none was.
func settled(where []comparison, now, before []bool) []comparison {
	var list []comparison
	known := func(t term, bound []bool) bool { return t < 0 || bound[t] }
	for _, w := range where {
		if known(w.left, now) && known(w.right, now) &&
			(before == nil || !known(w.left, before) || !known(w.right, before)) {
			list = append(list, w)
		}
	}
	return list
}

// expected estimates the number of items of the view of atom a that match the
// bound variables.
func expected(a *joinAtom, bound []bool, ix *indexes, constants int) float64 {
	n := float64(a.pred.rows)
	if n == 0 {
		return 0
	}
	distinct := ix.distinct(a.pred, constants)
	if a.sums != 0 {
		v, _ := ix.projection(a.pred, everyColumn(a.pred)&^a.sums)
		n = float64(v.items)
	}
	for col, t := range a.args {
		if a.sums>>col&1 == 0 && (t < 0 || bound[t]) {
			n /= distinct[col]
		}
	}
	return n
}

// everyColumn is the set of all columns of a predicate.
func everyColumn(p *predicate) uint64 { return 1<<p.arity - 1 }

func newStep(r *rule, atom int, bound []bool, ix *indexes) step {
	a := &r.join[atom]
	s := step{atom: atom, view: plain(a.pred)}
	over := everyColumn(a.pred) &^ a.sums
	if a.sums != 0 {
		s.view, s.groups = ix.projection(a.pred, over)
	}
	var by uint64
	seen := map[term]bool{}
	for col, t := range a.args {
		switch {
		case a.sums>>col&1 != 0:
		case t < 0 || bound[t]:
			by |= 1 << col
			s.key = append(s.key, t)
		case seen[t]:
			s.same = append(s.same, binding{col, t})
		default:
			seen[t] = true
			s.free = append(s.free, binding{col, t})
		}
	}
	switch {
	case by == over:
		s.exact = true
	case by != 0 && a.sums != 0:
		v := s.view
		s.by = func() *index { return ix.get(indexKey{a.pred, over, by}, func() *view { return v }) }
	case by != 0:
		s.by = func() *index { return ix.on(a.pred, by) }
	}
	return s
}

// holds decides a comparison under the bindings.
func (c *compiler) holds(w *comparison, bind []int32) bool {
	left, right := valueOf(w.left, bind), valueOf(w.right, bind)
	var ok bool
	switch w.op {
	case psl.Equal:
		ok = left == right
	case psl.NotEqual:
		ok = left != right
	default:
		ok = left != right && w.order.before(c.name(left), c.name(right))
	}
	return ok != w.negated
}
