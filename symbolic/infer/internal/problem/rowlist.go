package problem

import (
	"hinge/symbolic/lcqp"
)

// RowList collects the rows of a problem that has no layout of its own, in any
// order, and sorts them into it. Its storage, and with it the forms of the last
// problem filled, is used again.
type RowList struct {
	targets int
	forms   Forms
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

// Reset starts a problem of n targets.
func (l *RowList) Reset(n int) {
	l.targets = n
	l.forms.Col, l.forms.Val = l.forms.Col[:0], l.forms.Val[:0]
	l.table.reset(&l.forms)
	l.rows = l.rows[:0]
}

// Add adds a row with a starting value of its multiplier. Rows with the same
// targets must name them in the same order.
func (l *RowList) Add(kind lcqp.Kind, b, weight, curv, start float64, tag int32, col []int32, val []float64) {
	side, coef := col[0], val[0]
	if len(col) > 1 || kind == lcqp.HardEQ {
		side = int32(l.targets) + l.table.find(col, val)
	}
	l.rows = append(l.rows, listedRow{kind, side, b, weight, curv, coef, start, tag})
}

// Fill writes the rows to p and appends their tags, in its order, to tags.
func (l *RowList) Fill(p *Problem, tags []int32) []int32 {
	l.forms.finish(l.targets)
	lay := &Layout{level: ReduceFixed, Free: l.targets, Forms: &l.forms}
	p.ResizeRows(lay)
	sides := l.targets + l.forms.Len()
	p.SidePtr = Resize(p.SidePtr, sides+1)
	clear(p.SidePtr)
	for n := range l.rows {
		p.SidePtr[l.rows[n].side+1]++
	}
	for f := range sides {
		p.SidePtr[f+1] += p.SidePtr[f]
	}
	m := len(l.rows)
	p.SetRows(m)
	l.next = append(l.next[:0], p.SidePtr...)
	tags = Resize(tags, m)
	for n := range l.rows {
		r := &l.rows[n]
		k := l.next[r.side]
		l.next[r.side]++
		p.Kind[k], p.B[k], p.Weight[k], p.Curv[k], p.Coef[k], p.Dual[k] = r.kind, r.b, r.weight, r.curv, r.coef, r.start
		tags[k] = r.tag
	}
	lay.MemberPtr, lay.MemberKind = p.SidePtr, p.Kind
	return tags
}
