package sparse

import "sort"

// The front of a supernode holds its columns and its contribution: the part of −L·D·Lᵀ that it
// and the supernodes below it in the tree give to later rows and columns. Its parent, the
// supernode of its first row below, adds it to the parent's front (the multifrontal method: Duff
// and Reid, ACM Transactions on Mathematical Software 9, 1983). A contribution is stored by
// panels of panelWidth columns, each with the rows from its first column on.

// fronts tell where contributions are. Those of the children of a supernode are the last ones
// of a stack, as supernodes are in postorder. Even and odd depths have a stack each, so that a
// supernode pushes its own before it pops its children's. A branch hands the contribution of its
// roots to the stem, where each has its own place.
type fronts struct {
	parent, child, sibling []int32 // of supernodes, −1 for none; siblings increase
	place                  []int32 // of each row below a supernode in the front of its parent
	stack                  []uint8 // of each contribution, or handed
	at                     []int   // where it begins there
	branch, stem           [2]int  // the most that the stacks of a branch and of the stem hold
	handed                 []float64
}

// handed takes the place of the number of a stack.
const handed = 2

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
	n, f := &s.nodes, &s.fronts
	count := int32(n.len())
	for _, v := range []*[]int32{&f.parent, &f.child, &f.sibling} {
		*v = resize(*v, n.len())
	}
	f.stack, f.at, f.place = resize(f.stack, n.len()), resize(f.at, n.len()), resize(f.place, len(n.list))
	for k := range count {
		f.child[k] = -1
	}
	for k := count - 1; k >= 0; k-- {
		f.parent[k], f.sibling[k], f.stack[k] = -1, -1, 0
		if below := n.below(k); len(below) > 0 {
			p := n.of[below[0]]
			f.parent[k], f.sibling[k], f.child[p] = p, f.child[p], k
			f.stack[k] = 1 - f.stack[p]
		}
	}
	places := s.mark[:s.n]
	for k := range count {
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
	f.branch, f.stem = [2]int{}, [2]int{}
	var top [2]int
	given := 0
	keep := func(k, end int32, most *[2]int) {
		size := room(len(n.below(k)))
		if f.parent[k] >= end {
			f.stack[k], f.at[k] = handed, given
			given += size
		} else {
			q := f.stack[k]
			f.at[k] = top[q]
			top[q] += size
			most[q] = max(most[q], top[q])
		}
		for c := f.child[k]; c >= 0; c = f.sibling[c] {
			if q := f.stack[c]; q != handed {
				top[q] = f.at[c]
				break
			}
		}
	}
	for j, from := range s.branches.from {
		for k := from; k < s.branches.to[j]; k++ {
			keep(k, s.branches.to[j], &f.branch)
		}
	}
	if s.branches.len() == 0 {
		for k := range count {
			keep(k, count, &f.stem)
		}
	}
	for _, k := range s.branches.stem {
		keep(k, count, &f.stem)
	}
	f.handed = resize(f.handed, given)
}

// contribution returns the place of the contribution of supernode k.
func (w *worker) contribution(k int32) []float64 {
	f := &w.fronts
	in := f.handed
	if q := f.stack[k]; q != handed {
		in = w.stacks[q]
	}
	return in[f.at[k]:][:room(len(w.nodes.below(k)))]
}

// stacked makes room for stacks.
func (w *worker) stacked(size [2]int) {
	for q, n := range size {
		w.stacks[q] = resize(w.stacks[q], n)
	}
}

// take adds the contribution of supernode c, in from, to the columns least ≤ j < end of the front of
// its parent k: to its block or, behind that, to its contribution out.
func (s *LDL) take(c, k int32, from []float64, least, end int, out []float64) {
	n := &s.nodes
	place, width, below := s.fronts.place[n.ptr[c]:n.ptr[c+1]], n.width(k), len(n.below(k))
	j := 0
	if least > 0 {
		j = sort.Search(len(place), func(r int) bool { return int(place[r]) >= least })
	}
	last := j
	for last < len(place) && int(place[last]) < end {
		last++
	}
	for j < last {
		// Columns next to each other here and there, within one panel.
		m, most := 1, min(panelWidth-j%panelWidth, last-j)
		to, stride, base := s.val[n.start[k]:n.start[k+1]], width, int(place[j])
		if base < width {
			most = min(most, width-base)
		} else {
			most = min(most, panelWidth-(base-width)%panelWidth)
			to, stride, base = out, panelWidth, column(below, base-width)-panelWidth*width
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
