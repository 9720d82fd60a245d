package sparse

import "slices"

// The front of a supernode holds its columns and its contribution: the part of −L·D·Lᵀ that it
// and the supernodes below it in the tree give to later rows and columns. It is added to the front
// of its parent, the supernode of its first row below, as soon as it is complete (the multifrontal
// method: Duff and Reid, ACM Transactions on Mathematical Software 9, 1983). A contribution is
// stored by panels of panelWidth columns, each with the rows from its first column on.

// fronts tell where contributions are. Room for that of a supernode is taken when its first child is
// complete. Of children the one with the largest subtree comes first: so at most one contribution
// waits for each of the other children on the way to the root, which are log₂ n at most. Even and
// odd depths have a stack each, as a supernode's room is taken before that of its child is given back.
type fronts struct {
	parent         []int32 // of supernodes, −1 for none
	child, sibling []int32 // in the same branch or in the stem, in the order of work
	order, stem    []int32 // of work: in the range of each branch, and of the stem
	place          []int32 // of each row below a supernode in the front of its parent
	stack          []uint8 // of each contribution
	at             []int   // where it begins there
	branchRoom     [2]int  // the most that the stacks of a branch hold
	stemRoom       [2]int
	gift           []int32 // of each root of a branch that has a parent; −1 elsewhere
	given          []int32 // the first gift to each supernode, −1 for none
	gifts          []gift
	handed         []float64
}

// gift is what a branch adds to the front of a supernode of the stem: the contribution of a root or,
// where those of several roots take more room, a front.
type gift struct {
	to, from int32 // from is −1 for a front
	next     int32 // gift to the same supernode, −1 for none
	at, size int   // in handed
}

// column returns what panelWidth times the row adds up with to the place of an entry in column c
// of a contribution with n rows.
func column(n, c int) int {
	p := c / panelWidth
	return panelWidth*p*(n-panelWidth/2*(p+1)) + c%panelWidth
}

// room returns the size of a contribution with n rows.
func room(n int) int {
	p := (n + panelWidth - 1) / panelWidth
	return panelWidth * p * (n - panelWidth/2*(p-1))
}

// front finds the fronts of supernodes whose branches are known.
func (s *LDL) front() {
	n, f, b := &s.nodes, &s.fronts, &s.branches
	count := n.len()
	resizeAll(count, &f.parent, &f.child, &f.sibling, &f.order, &f.gift, &f.given)
	f.stack, f.at, f.place = resize(f.stack, count), resize(f.at, count), resize(f.place, len(n.list))
	f.family(n, func(_, _ int32) bool { return true })
	places := s.mark[:s.n]
	for k := range int32(count) {
		for j := range n.width(k) {
			places[int(n.first[k])+j] = int32(j)
		}
		for r, i := range n.below(k) {
			places[i] = int32(n.width(k) + r)
		}
		for c := f.child[k]; c >= 0; c = f.sibling[c] {
			for r, i := range n.below(c) {
				f.place[int(n.ptr[c])+r] = places[i]
			}
		}
	}
	group := places[:count] // the number of each supernode's branch, b.len() in the stem
	for k := range group {
		group[k] = int32(b.len())
	}
	for j := range b.from {
		for k := b.from[j]; k < b.to[j]; k++ {
			group[k] = int32(j)
		}
	}
	f.family(n, func(k, p int32) bool { return group[k] == group[p] })
	f.give(n, group)
	f.branchRoom, f.stemRoom, f.stem = [2]int{}, [2]int{}, f.stem[:0]
	for j, from := range b.from {
		nodes := f.order[from:from]
		for k := from; k < b.to[j]; k++ {
			if p := f.parent[k]; p < 0 || group[p] != group[k] {
				nodes = f.descend(k, nodes)
			}
		}
		f.lay(n, nodes, &f.branchRoom)
	}
	for k := range int32(count) {
		if f.parent[k] < 0 && group[k] == int32(b.len()) {
			f.stem = f.descend(k, f.stem)
		}
	}
	f.lay(n, f.stem, &f.stemRoom)
}

// family finds parents, and children that are together with them.
func (f *fronts) family(n *supernodes, together func(k, p int32) bool) {
	size := make([]int32, n.len()) // columns of the subtree
	for k := range int32(n.len()) {
		f.child[k], f.parent[k] = -1, -1
		size[k] += n.first[k+1] - n.first[k]
		if below := n.below(k); len(below) > 0 {
			f.parent[k] = n.of[below[0]]
			size[f.parent[k]] += size[k]
		}
	}
	for k := int32(n.len()) - 1; k >= 0; k-- {
		f.sibling[k] = -1
		p := f.parent[k]
		if p < 0 || !together(k, p) {
			continue
		}
		if first := f.child[p]; first >= 0 && size[first] > size[k] {
			f.sibling[k], f.sibling[first] = f.sibling[first], k
		} else {
			f.sibling[k], f.child[p] = first, k
		}
	}
}

// descend appends the supernodes of the subtree of root that are in its branch or in the stem.
func (f *fronts) descend(root int32, list []int32) []int32 {
	descend(root, f.parent, f.child, f.sibling, func(k int32) { list = append(list, k) })
	return list
}

// give finds what branches give to the stem.
func (f *fronts) give(n *supernodes, group []int32) {
	f.gifts = f.gifts[:0]
	type pair struct{ branch, to int32 }
	rooms, own := map[pair]int{}, map[pair]int32{}
	for k, p := range f.parent {
		if f.gift[k] = -1; p >= 0 && group[p] != group[k] {
			rooms[pair{group[k], p}] += room(len(n.below(int32(k))))
		}
	}
	for k, p := range f.parent {
		if p < 0 || group[p] == group[k] {
			continue
		}
		to := pair{group[k], p}
		whole := n.start[p+1] - n.start[p] + room(len(n.below(p))) // the size of its front
		g, known := own[to]
		if !known {
			g = int32(len(f.gifts))
			if rooms[to] > whole {
				own[to] = g
				f.gifts = append(f.gifts, gift{to: p, from: -1, size: whole})
			} else {
				f.gifts = append(f.gifts, gift{to: p, from: int32(k), size: room(len(n.below(int32(k))))})
			}
		}
		f.gift[k] = g
	}
	at := 0
	for k := range f.given {
		f.given[k] = -1
	}
	for g := int32(len(f.gifts)) - 1; g >= 0; g-- {
		to := &f.gifts[g]
		to.at, to.next, f.given[to.to] = at, f.given[to.to], g
		at += to.size
	}
	f.handed = resize(f.handed, at)
}

// lay gives the contributions of supernodes, in the order of work, their places on the stacks.
func (f *fronts) lay(n *supernodes, order []int32, most *[2]int) {
	var top [2]int
	push := func(k int32) {
		q := f.stack[k]
		f.at[k] = top[q]
		top[q] += room(len(n.below(k)))
		most[q] = max(most[q], top[q])
	}
	for _, k := range slices.Backward(order) {
		f.stack[k] = 0
		if p := f.parent[k]; p >= 0 && f.gift[k] < 0 {
			f.stack[k] = 1 - f.stack[p]
		}
	}
	for _, k := range order {
		if f.child[k] < 0 {
			push(k)
		}
		if p := f.parent[k]; p >= 0 && f.gift[k] < 0 && f.child[p] == k {
			push(p)
		}
		top[f.stack[k]] = f.at[k]
	}
}

// contribution returns the place of the contribution of supernode k.
func (w *worker) contribution(k int32) []float64 {
	f := &w.fronts
	return w.stacks[f.stack[k]][f.at[k]:][:room(len(w.nodes.below(k)))]
}

// stacked makes room for stacks.
func (w *worker) stacked(size [2]int) {
	for q, n := range size {
		w.stacks[q] = resize(w.stacks[q], n)
	}
}

// whole returns the parts of a whole front of supernode k.
func (s *LDL) whole(k int32, front []float64) (block, out []float64) {
	size := s.nodes.start[k+1] - s.nodes.start[k]
	return front[:size], front[size:]
}

// hand adds the contribution of supernode k, which is complete, to the front of its parent. The crew
// shares the work, unless it is nil.
func (w *worker) hand(k int32, contribution []float64, crew *crew) {
	f, n := &w.fronts, &w.nodes
	p, columns := f.parent[k], len(n.below(k))
	if p < 0 {
		return
	}
	if g := f.gift[k]; g >= 0 {
		to := &f.gifts[g]
		front := f.handed[to.at:][:to.size]
		if to.from >= 0 {
			copy(front, contribution)
			return
		}
		block, out := w.whole(p, front)
		w.take(k, contribution, 0, columns, block, out)
		return
	}
	block, out := w.val[n.start[p]:n.start[p+1]], w.contribution(p)
	if f.child[p] == k {
		clear(out)
	}
	if crew == nil {
		w.take(k, contribution, 0, columns, block, out)
		return
	}
	crew.blocks(columns, leastColumns, float64(columns*columns), func(_ *worker, from, to int) { w.take(k, contribution, from, to, block, out) })
}

// receive adds to the front of supernode k of the stem what branches give to it.
func (w *worker) receive(k int32, out []float64) {
	f, n := &w.fronts, &w.nodes
	block := w.val[n.start[k]:n.start[k+1]]
	for g := f.given[k]; g >= 0; g = f.gifts[g].next {
		from := &f.gifts[g]
		front := f.handed[from.at:][:from.size]
		if from.from >= 0 {
			w.take(from.from, front, 0, len(n.below(from.from)), block, out)
			continue
		}
		more, further := w.whole(k, front)
		for i, v := range more {
			block[i] += v
		}
		for i, v := range further {
			out[i] += v
		}
	}
}

// take adds the columns least ≤ j < end of the contribution of supernode c to the block and to the
// contribution of its parent.
func (s *LDL) take(c int32, from []float64, least, end int, block, contribution []float64) {
	n := &s.nodes
	k := s.fronts.parent[c]
	place, width, below := s.fronts.place[n.ptr[c]:n.ptr[c+1]], n.width(k), len(n.below(k))
	for j := least; j < end; {
		// Columns next to each other here and there, within one panel.
		m, most := 1, min(panelWidth-j%panelWidth, end-j)
		to, stride, base := block, width, int(place[j])
		if base < width {
			most = min(most, width-base)
		} else {
			most = min(most, panelWidth-(base-width)%panelWidth)
			to, stride, base = contribution, panelWidth, column(below, base-width)-panelWidth*width
		}
		for m < most && place[j+m] == place[j]+int32(m) {
			m++
		}
		// Entries above the diagonal are not used.
		v, rows := from[column(len(place), j)+panelWidth*j:], place[j:]
		if m < panelWidth {
			for r, at := range rows {
				a := to[base+int(at)*stride:][:m]
				for c, b := range v[panelWidth*r:][:m] {
					a[c] += b
				}
			}
		} else {
			for r, at := range rows {
				a, b := (*[panelWidth]float64)(to[base+int(at)*stride:]), (*[panelWidth]float64)(v[panelWidth*r:])
				a[0] += b[0]
				a[1] += b[1]
				a[2] += b[2]
				a[3] += b[3]
				a[4] += b[4]
				a[5] += b[5]
				a[6] += b[6]
				a[7] += b[7]
			}
		}
		j += m
	}
}
