package ground

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// emitter turns the groundings of a rule, or of a part of them, into rows. It
// is used by one goroutine.
type emitter struct {
	joiner
	opts *Options
	rule *rule

	kept      *atomic.Int64 // rows of all parts of the rule
	rows      rowList
	told      int // rows that were reported
	relations chunks[hlmrf.Relation]
	stats     RuleStats

	// The row being built.
	targets, deep []entry
	constant      float64
	atoms         int // atoms in the grounding, including those with coefficient 0
	hasTarget     bool

	groups []*index // rows behind the match of each summation atom
	lookup []int32  // arguments of an atom that is looked up
	counts []int    // of the summation variables
}

func (e *emitter) begin() {
	e.targets, e.deep = e.targets[:0], e.deep[:0]
	e.constant, e.atoms, e.hasTarget = 0, 0, false
}

// addAtom adds coef times the atom in a row of a predicate.
func (e *emitter) addAtom(p *predicate, row int32, coef float64) {
	e.atoms++
	switch code := p.code[row]; {
	case code >= 0:
		e.hasTarget = true
		e.targets = append(e.targets, entry{code, coef})
	case code == observedCode:
		e.constant += coef * p.value[row]
	default:
		e.deep = append(e.deep, entry{deepCode - code, coef})
	}
}

// merge merges the entries of the row. It reports whether coefficients of different sign met.
func (e *emitter) merge() bool {
	var opposed, opposedDeep bool
	e.targets, opposed = merge(e.targets)
	e.deep, opposedDeep = merge(e.deep)
	return opposed || opposedDeep
}

// merge sorts the entries by column and adds up the entries of each column. It reports
// whether coefficients of different sign (-, 0, +) met.
func merge(es []entry) (merged []entry, opposed bool) {
	if len(es) < 2 {
		return es, false
	}
	slices.SortStableFunc(es, func(a, b entry) int { return int(a.col) - int(b.col) })
	n := 0
	for _, x := range es[1:] {
		if x.col != es[n].col {
			n++
			es[n] = x
			continue
		}
		opposed = opposed || cmp.Compare(x.val, 0) != cmp.Compare(es[n].val, 0)
		es[n].val += x.val
	}
	return es[:n+1], opposed
}

// resolve returns the row of an atom under the bindings, -1 if it is not in
// the database.
func (e *emitter) resolve(p *pattern) int32 {
	e.lookup = e.lookup[:0]
	for _, t := range p.args {
		e.lookup = append(e.lookup, valueOf(t, e.bind))
	}
	return p.pred.find(e.lookup)
}

// instance prints an atom under the bindings.
func (e *emitter) instance(p *pattern) string {
	args := make([]string, len(p.args))
	for i, t := range p.args {
		args[i] = e.c.name(valueOf(t, e.bind))
	}
	return atomName(p.pred.name, args)
}

// bindings prints the variables of the grounding at hand.
func (e *emitter) bindings() string {
	var b strings.Builder
	for i, name := range e.rule.vars[:e.rule.bound] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %s", name, e.c.name(e.bind[i]))
	}
	return b.String()
}

// decided reports whether an observed value is v, in the sense in which the
// reference drops groundings: in float32, within 1e-4.
func decided(value, v float64) bool {
	d := float32(value) - float32(v)
	return max(d, -d) <= 1e-4
}

// dropped counts a grounding without a target, and reports whether it is one that stays out. A
// potential of neural outputs stays in: V has it as a constant, with a gradient in them.
func (e *emitter) dropped() bool {
	if e.hasTarget {
		return false
	}
	outputs := slices.ContainsFunc(e.deep, func(x entry) bool { return x.val != 0 })
	if outputs && !e.rule.src.Hard {
		return false
	}
	e.stats.NoTarget++
	if outputs {
		e.stats.Outputs++
	}
	return true
}

// logical emits the potential or constraint of a clause: with n literals in
// the conjunction it forbids, Σ literals - (n - 1), where !x is 1 - x.
func (e *emitter) logical() error {
	e.begin()
	r := e.rule
	e.constant = float64(1 - r.positive)
	var missing *literal
	for i := range r.literals {
		l := &r.literals[i]
		var row int32
		if l.join >= 0 {
			row = e.item[l.join]
		} else if row = e.resolve(&l.pattern); row < 0 {
			if l.pred.open() {
				missing = l
			}
			continue // a closed atom that is not in the data is 0
		}
		coef, satisfied := 1.0, 0.0
		if l.negated {
			coef, satisfied = -1, 1
		}
		if l.pred.code[row] == observedCode && decided(l.pred.value[row], satisfied) {
			e.stats.Satisfied++
			return nil
		}
		e.addAtom(l.pred, row, coef)
	}
	if missing != nil {
		if e.opts.DropMissing {
			e.stats.Missing++
			return nil
		}
		return r.src.ErrorAt(missing.source.Pos,
			fmt.Sprintf("%s is neither observed nor a target (%s)", e.instance(&missing.pattern), e.bindings()),
			"add it to the targets, or restrict the rule")
	}
	if e.dropped() {
		return nil
	}
	if e.merge() {
		e.stats.Opposed++ // the clause holds an atom and its negation
		return nil
	}
	return e.keep(1, hlmrf.LessEqual)
}

// arithmetic emits Σ terms + constant Rel 0.
func (e *emitter) arithmetic() error {
	e.begin()
	r := e.rule
	// Two passes where |B| occurs: coefficients need the number of values.
	clear(e.counts)
	if len(r.counted) > 0 {
		for i := range r.terms {
			e.count(r.terms[i].join)
		}
	}
	undefined := false
	for i := range r.terms {
		t := &r.terms[i]
		a := &r.join[t.join]
		k := e.coefficient(t)
		if a.sums == 0 {
			e.addAtom(a.pred, e.item[t.join], k)
			continue
		}
		for _, row := range e.summands(t.join) {
			if e.passes(a, row) {
				e.addAtom(a.pred, row, k)
			}
		}
		undefined = undefined || k-k != 0
	}
	if e.dropped() {
		return nil
	}
	for i := range r.constant {
		e.constant += e.coefficient(&r.constant[i])
	}
	if err := e.finite(); err != nil {
		return err
	}
	if undefined { // and yet finite: no atom has the coefficient
		e.stats.Undefined++
	}
	if e.merge() && !r.src.Hard {
		e.stats.Opposed++
		return nil
	}
	switch {
	case r.rel == psl.LessEqual:
		return e.inequality(1)
	case r.rel == psl.GreaterEqual:
		return e.inequality(-1)
	case r.src.Hard:
		return e.keep(1, hlmrf.Equal)
	}
	// A weighted equality is a potential for each direction.
	if err := e.inequality(-1); err != nil {
		return err
	}
	return e.inequality(1)
}

// inequality keeps sign·(row) ≤ 0 unless a single atom makes it trivial.
func (e *emitter) inequality(sign float64) error {
	if e.atoms == 1 && e.hasTarget && max(sign*e.targets[0].val, 0)+sign*e.constant <= 0 {
		e.stats.Trivial++
		return nil
	}
	return e.keep(sign, hlmrf.LessEqual)
}

// summands returns the rows behind the match of a summation atom.
func (e *emitter) summands(join int) []int32 { return e.groups[join].members(e.item[join]) }

// passes binds the summation variables of an atom to a row and asks their
// filters.
func (e *emitter) passes(a *joinAtom, row int32) bool {
	if e.rule.filters == nil {
		return true
	}
	tuple := a.pred.row(row)
	for col, slot := range a.args {
		if a.sums>>col&1 == 0 {
			continue
		}
		conj, ok := e.rule.filters[slot]
		if !ok {
			continue
		}
		e.bind[slot] = tuple[col]
		if !e.pass(conj) {
			return false
		}
	}
	return true
}

// pass decides a conjunction of filter literals; an atom is true if its value is greater than 0.
func (e *emitter) pass(conj []filterLiteral) bool {
	for i := range conj {
		l := &conj[i]
		if l.compare != nil {
			if !e.c.holds(l.compare, e.bind) {
				return false
			}
		} else if row := e.resolve(&l.pattern); (row >= 0 && l.pred.value[row] > 0) == l.negated {
			return false
		}
	}
	return true
}

// count counts the summands of an atom for its summation variables: |B| is their
// number. Of a closed predicate these are all combinations of the values it has
// for them, in the data or not.
func (e *emitter) count(join int) {
	a := &e.rule.join[join]
	if a.sums == 0 {
		return
	}
	n := 0
	if a.domain != nil {
		n = e.combinations(a)
	} else {
		for _, row := range e.summands(join) {
			if e.passes(a, row) {
				n++
			}
		}
	}
	for col, slot := range a.args {
		if a.sums>>col&1 != 0 {
			e.counts[int(slot)-e.rule.bound] += n
		}
	}
}

// combinations counts the combinations of values that pass the filters. Each filter is about
// one variable.
func (e *emitter) combinations(a *joinAtom) int {
	n := 1
	for col, slot := range a.args {
		if a.sums>>col&1 == 0 {
			continue
		}
		conj := e.rule.filters[slot]
		passed := len(a.domain[col])
		if len(conj) > 0 {
			passed = 0
			for _, v := range a.domain[col] {
				e.bind[slot] = v
				if e.pass(conj) {
					passed++
				}
			}
		}
		n *= passed
	}
	return n
}

// coefficient evaluates a coefficient in the grounding at hand.
func (e *emitter) coefficient(t *linearTerm) float64 {
	if t.isNumber {
		return t.sign * t.number
	}
	return t.sign * t.coef.Eval(func(name string) float64 {
		return float64(e.counts[int(e.rule.counted[name])-e.rule.bound])
	})
}

// finite checks the row: a division by |B| = 0 gives infinities.
func (e *emitter) finite() error {
	if len(e.rule.counted) == 0 {
		return nil
	}
	sum := e.constant
	for _, x := range e.targets {
		sum += x.val - x.val
	}
	for _, x := range e.deep {
		sum += x.val - x.val
	}
	if sum-sum != 0 {
		return e.rule.src.ErrorAt(e.rule.src.Pos, fmt.Sprintf("a coefficient is not finite (%s)", e.bindings()),
			"a number of values |...| is 0 here; divide by @Max[1, |...|]")
	}
	return nil
}

// fresh returns the number of rows since the last call.
func (e *emitter) fresh() int {
	n := e.rows.constant.n - e.told
	e.told += n
	return n
}

// keep stores the row times sign.
func (e *emitter) keep(sign float64, rel hlmrf.Relation) error {
	if e.opts.MaxRows > 0 && e.kept.Add(1) > int64(e.opts.MaxRows) {
		return e.rule.src.ErrorAt(e.rule.src.Pos, fmt.Sprintf("the rule has more than %d groundings, about %.2g by estimate", e.opts.MaxRows,
			max(e.plan.groundings, float64(e.opts.MaxRows))), "raise the limit, or "+e.plan.advice(e.c.db))
	}
	e.rows.add(e.targets, e.deep, e.constant, sign)
	if e.rule.src.Hard {
		e.relations.add(rel)
	}
	return nil
}
