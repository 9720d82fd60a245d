package problem

import (
	"math"
	"slices"

	"hinge/symbolic/lcqp"
)

// layouter makes a layout.
type layouter struct {
	*Layout
	t     *lcqp.Template
	comp  *lcqp.Component
	count []int32 // free targets by row
	used  []bool  // rows that fixed or merged
}

func newLayout(t *lcqp.Template, c int, fixed []bool, level Reduction) *Layout {
	comp := &t.Components[c]
	n, m := len(comp.Targets), len(comp.Rows)
	l := &layouter{
		Layout: &Layout{level: level, fixed: slices.Clone(fixed),
			place: make([]int32, n), scale: make([]float64, n), Forms: new(Forms)},
		t: t, comp: comp, count: make([]int32, m), used: make([]bool, m),
	}
	for i := range n {
		l.scale[i] = 1
		if fixed[i] {
			l.place[i] = -1
		}
	}
	l.fix()
	if level >= ReduceMerged {
		l.merge()
	}
	for i := range n {
		if l.place[i] >= 0 && l.scale[i] != 0 {
			l.place[i] = int32(l.Free)
			l.Free++
		}
	}
	l.follow()
	l.rows()
	if level >= ReduceChains {
		l.imply()
	}
	return l.Layout
}

// row returns the entries of a row, with columns of the template.
func (l *layouter) row(r int32) ([]int32, []float64) {
	k := l.comp.Rows[r]
	from, to := l.t.Ptr[k], l.t.Ptr[k+1]
	return l.t.Col[from:to], l.t.Val[from:to]
}

// fix works off the hard equalities with one free target, and so on.
func (l *layouter) fix() {
	var queue []int32
	for r := range l.count {
		col, _ := l.row(int32(r))
		for _, c := range col {
			if l.place[l.t.Local[c]] >= 0 {
				l.count[r]++
			}
		}
		if l.level >= ReduceChains && l.count[r] == 1 && l.t.Kinds[l.comp.Rows[r]] == lcqp.HardEQ {
			queue = append(queue, int32(r))
		}
	}
	for len(queue) > 0 {
		r := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if l.count[r] != 1 || l.used[r] {
			continue // another equality fixed the target meanwhile
		}
		col, val := l.row(r)
		j := 0
		for l.place[l.t.Local[col[j]]] < 0 {
			j++
		}
		l.used[r] = true
		l.place[l.t.Local[col[j]]] = -1
		l.chain = append(l.chain, link{row: r, child: l.t.Local[col[j]], parent: -1, a: val[j]})
		for _, row := range l.t.RowsOf(col[j]) {
			other := l.t.RowLocal[row]
			l.count[other]--
			if l.count[other] == 1 && l.t.Kinds[row] == lcqp.HardEQ {
				queue = append(queue, other)
			}
		}
	}
}

// merge finds the hard equalities of two free targets and makes trees of them:
// scale 0 marks the targets that follow another one.
func (l *layouter) merge() {
	var edges []link
	for r := range l.count {
		if l.count[r] != 2 || l.used[r] || l.t.Kinds[l.comp.Rows[r]] != lcqp.HardEQ {
			continue
		}
		e := link{row: int32(r), child: -1}
		col, val := l.row(int32(r))
		for j, c := range col {
			switch i := l.t.Local[c]; {
			case l.place[i] < 0:
			case e.child < 0:
				e.child, e.a = i, val[j]
			default:
				e.parent, e.b = i, val[j]
			}
		}
		if ratio := math.Abs(e.a / e.b); ratio <= mergeRatio && ratio >= 1.0/mergeRatio {
			edges = append(edges, e)
		}
	}
	if len(edges) == 0 {
		return
	}
	at := make(map[int32][]int, 2*len(edges))
	for n, e := range edges {
		at[e.child] = append(at[e.child], n)
		at[e.parent] = append(at[e.parent], n)
	}
	// From each smallest target outwards.
	factor := make(map[int32]float64, len(at))
	for root := range int32(len(l.place)) {
		if len(at[root]) == 0 || factor[root] != 0 {
			continue
		}
		factor[root] = 1
		for queue := []int32{root}; len(queue) > 0; queue = queue[1:] {
			for _, n := range at[queue[0]] {
				e := edges[n]
				if e.child == queue[0] {
					e = link{e.row, e.parent, e.child, e.b, e.a}
				}
				f := -e.b / e.a * factor[e.parent]
				if factor[e.child] != 0 || math.Abs(f) > mergeRatio || math.Abs(f) < 1.0/mergeRatio {
					continue
				}
				factor[e.child] = f
				l.used[e.row] = true
				l.scale[e.child] = 0
				l.tree = append(l.tree, e)
				queue = append(queue, e.child)
			}
		}
	}
}

// follow gives the merged targets place and scale, parents first.
func (l *layouter) follow() {
	for _, e := range l.tree {
		l.place[e.child] = l.place[e.parent]
		l.scale[e.child] = -e.b / e.a * l.scale[e.parent]
	}
	for i, p := range l.place {
		if p < 0 {
			l.scale[i] = 0
		}
	}
}

// rows expresses the rows in what is left and sorts them by form.
func (l *layouter) rows() {
	moves := make([]bool, len(l.place))
	for i, p := range l.place {
		moves[i] = p < 0
	}
	for _, e := range l.tree {
		moves[e.child], moves[e.parent] = true, true
	}
	var table formTable
	table.reset(l.Forms)
	equalities := map[uint64][]int32{} // forms with an equality, by the hash of their targets
	// of is the form of each row: free + form, or the target alone.
	of, coef := make([]int32, len(l.count)), make([]float64, len(l.count))
	var col []int32
	var val []float64
	moved := 0
	for r := range l.count {
		tc, _ := l.row(int32(r))
		for _, c := range tc {
			if moves[l.t.Local[c]] {
				moved++
			}
		}
	}
	if moved > 0 {
		l.moved, l.movedPtr = make([]movedEntry, 0, moved), make([]int32, len(l.count)+1)
	}
	for r := range l.count {
		of[r] = -1
		col, val = col[:0], val[:0]
		tc, tv := l.row(int32(r))
		for j, c := range tc {
			i := l.t.Local[c]
			if moves[i] {
				l.moved = append(l.moved, movedEntry{i, tv[j]})
			}
			if p := l.place[i]; p >= 0 {
				col, val = addEntry(col, val, p, tv[j]*l.scale[i])
			}
		}
		if moved > 0 {
			l.movedPtr[r+1] = int32(len(l.moved))
		}
		if l.used[r] {
			continue
		}
		col, val = dropZeros(col, val)
		switch {
		case len(col) == 0:
			l.closed = append(l.closed, int32(r))
		case len(col) == 1 && l.t.Kinds[l.comp.Rows[r]] != lcqp.HardEQ:
			of[r], coef[r] = col[0], val[0]
		case l.t.Kinds[l.comp.Rows[r]] == lcqp.HardEQ: // of one target too: its multiplier is an unknown
			hash := uint64(len(col))
			for _, c := range col {
				hash = mix(hash, uint64(c))
			}
			known := equalities[hash]
			at := slices.IndexFunc(known, func(id int32) bool { return table.multiple(id, col, val, 1e-15) })
			if at < 0 {
				at, known = len(known), append(known, table.find(col, val))
				equalities[hash] = known
			}
			of[r], coef[r] = int32(l.Free)+known[at], val[0]
		default:
			of[r], coef[r] = int32(l.Free)+table.find(col, val), val[0]
		}
	}
	for i, moved := range moves {
		if moved {
			l.movedTargets = append(l.movedTargets, int32(i))
		}
	}
	l.Forms.finish(l.Free)
	l.MemberPtr = make([]int32, l.Free+l.Forms.Len()+1)
	for _, f := range of {
		if f >= 0 {
			l.MemberPtr[f+1]++
		}
	}
	for f := range len(l.MemberPtr) - 1 {
		l.MemberPtr[f+1] += l.MemberPtr[f]
	}
	total := l.MemberPtr[len(l.MemberPtr)-1]
	l.memberRow, l.memberCoef = make([]int32, total), make([]float64, total)
	l.MemberKind = make([]lcqp.Kind, total)
	next := slices.Clone(l.MemberPtr)
	for r, f := range of {
		if f >= 0 {
			l.memberRow[next[f]], l.memberCoef[next[f]] = int32(r), coef[r]
			l.MemberKind[next[f]] = l.t.Kinds[l.comp.Rows[r]]
			next[f]++
		}
	}
}

// addEntry adds v to the entry of column c in a sorted list.
func addEntry(col []int32, val []float64, c int32, v float64) ([]int32, []float64) {
	at := len(col)
	for at > 0 && col[at-1] > c {
		at--
	}
	if at > 0 && col[at-1] == c {
		// Terms that cancel up to rounding do cancel.
		if sum := val[at-1] + v; math.Abs(sum) > 1e-12*math.Abs(v) {
			val[at-1] = sum
		} else {
			val[at-1] = 0
		}
		return col, val
	}
	return slices.Insert(col, at, c), slices.Insert(val, at, v)
}

func dropZeros(col []int32, val []float64) ([]int32, []float64) {
	n := 0
	for j, v := range val {
		if v != 0 {
			col[n], val[n] = col[j], v
			n++
		}
	}
	return col[:n], val[:n]
}

// imply finds the hard inequalities of three and more targets that contain a
// difference y_i − y_j for which there is another hard inequality y_i ≤ y_j. In
// MNIST-Addition, of the rows that tie a sum to its digits, most follow from the
// others in this way.
func (l *layouter) imply() {
	type pair struct{ i, j int32 }
	type bound struct {
		row  int32
		coef float64
	}
	at := make(map[pair]bound)
	g := l.Forms
	for k := range g.Len() {
		from := g.Ptr[k]
		if g.Ptr[k+1] != from+2 || g.Val[from+1] != -1 {
			continue
		}
		i, j := g.Col[from], g.Col[from+1]
		for n := l.MemberPtr[l.Free+k]; n < l.MemberPtr[l.Free+k+1]; n++ {
			if l.MemberKind[n] != lcqp.HardLE {
				continue
			}
			if l.memberCoef[n] > 0 {
				at[pair{i, j}] = bound{l.memberRow[n], l.memberCoef[n]}
			} else {
				at[pair{j, i}] = bound{l.memberRow[n], -l.memberCoef[n]}
			}
		}
	}
	if len(at) == 0 {
		return
	}
	for k := range g.Len() {
		from, to := g.Ptr[k], g.Ptr[k+1]
		if to-from < 3 || to-from > LongForm {
			continue
		}
		for n := l.MemberPtr[l.Free+k]; n < l.MemberPtr[l.Free+k+1]; n++ {
			if l.MemberKind[n] != lcqp.HardLE {
				continue
			}
			taken := [LongForm]bool{}
			for a := from; a < to; a++ {
				for b := from; b < to; b++ {
					p, q := l.memberCoef[n]*g.Val[a], -l.memberCoef[n]*g.Val[b]
					by, ok := at[pair{g.Col[a], g.Col[b]}]
					// A smaller coefficient would be a less exact bound.
					if !ok || p <= 0 || q <= 0 || min(p, q) > by.coef || taken[a-from] || taken[b-from] {
						continue
					}
					taken[a-from], taken[b-from] = true, true
					l.implied = append(l.implied, implication{n, by.row, g.Col[a], g.Col[b], min(p, q)})
				}
			}
		}
	}
}
