package infer

import "hinge/symbolic/lcqp"

// rowList collects the rows of a problem that has no layout of its own, in any
// order, and sorts them into it. Its storage, and with it the forms of the last
// problem filled, is used again.
type rowList struct {
	targets int
	forms   forms
	table   formTable
	rows    []listedRow
	next    []int32
}

// listedRow is a row: its side is a target, or targets + form.
type listedRow struct {
	kind                         lcqp.Kind
	side                         int32
	b, weight, curv, coef, start float64
	tag                          int32
}

// reset starts a problem of n targets.
func (l *rowList) reset(n int) {
	l.targets = n
	l.forms.col, l.forms.val = l.forms.col[:0], l.forms.val[:0]
	l.table.reset(&l.forms)
	l.rows = l.rows[:0]
}

// add adds a row with a starting value of its multiplier. Rows with the same
// targets must name them in the same order.
func (l *rowList) add(kind lcqp.Kind, b, weight, curv, start float64, tag int32, col []int32, val []float64) {
	side, coef := col[0], val[0]
	if len(col) > 1 || kind == lcqp.HardEQ {
		side = int32(l.targets) + l.table.find(col, val)
	}
	l.rows = append(l.rows, listedRow{kind, side, b, weight, curv, coef, start, tag})
}

// fill writes the rows to p and appends their tags, in its order, to tags.
func (l *rowList) fill(p *Problem, tags []int32) []int32 {
	l.forms.finish(l.targets)
	lay := &layout{level: reduceFixed, free: l.targets, forms: &l.forms}
	p.resizeRows(lay)
	sides := l.targets + l.forms.len()
	p.formPtr = resize(p.formPtr, sides+1)
	clear(p.formPtr)
	for n := range l.rows {
		p.formPtr[l.rows[n].side+1]++
	}
	for f := range sides {
		p.formPtr[f+1] += p.formPtr[f]
	}
	m := len(l.rows)
	p.Kind, p.B, p.Weight, p.Curv = resize(p.Kind, m), resize(p.B, m), resize(p.Weight, m), resize(p.Curv, m)
	p.coef = resize(p.coef, m)
	p.endRows()
	l.next = append(l.next[:0], p.formPtr...)
	tags = resize(tags, m)
	for n := range l.rows {
		r := &l.rows[n]
		k := l.next[r.side]
		l.next[r.side]++
		p.Kind[k], p.B[k], p.Weight[k], p.Curv[k], p.coef[k], p.Dual[k] = r.kind, r.b, r.weight, r.curv, r.coef, r.start
		tags[k] = r.tag
	}
	lay.memberPtr, lay.memberKind = p.formPtr, p.Kind
	return tags
}
