package sparse

// Factor computes L and D from Diag and Val. Each supernode in turn takes the
// updates of those before it (left-looking), is factored as a dense block, and
// waits in the list of the next supernode that it updates.
func (s *LDL) Factor() {
	if s.gradients != nil {
		s.gradients.factor(s.Diag, s.Val)
		return
	}
	n := &s.nodes
	s.stopped.Store(false)
	clear(s.val)
	for slot, at := range n.place {
		s.val[at] += s.Val[slot]
	}
	for k := range s.head {
		s.head[k] = -1
	}
	first := s.worker(0)
	if s.branches.len() == 0 {
		first.factor(0, int32(n.len()))
		return
	}
	s.factorBranches(first)
}

// factor works on the supernodes from ≤ k < to, which take updates from each other only.
func (w *worker) factor(from, to int32) {
	w.end, w.outside = to, -1
	long := w.need.Work >= branchedWork
	for k := from; k < to; k++ {
		if long && w.late() {
			return
		}
		w.locate(k)
		for c := w.head[k]; c >= 0; {
			next := w.next[c]
			from, to := w.pass(c, k)
			w.apply(c, k, from, to, 0, len(w.nodes.below(c))-from)
			c = next
		}
		w.triangle(k)
		w.rest(k, 0, len(w.nodes.below(k)))
		w.at[k] = 0
		w.wait(k)
	}
}

// locate notes where the rows of supernode k are in its block.
func (w *worker) locate(k int32) {
	n := &w.nodes
	width := n.width(k)
	for j := range width {
		w.loc[int(n.first[k])+j] = int32(j)
	}
	for r, i := range n.below(k) {
		w.loc[i] = int32(width + r)
	}
}

// wait puts supernode c into the list of the supernode that contains its next row, or into the
// common list of all that come after the supernodes being worked on.
func (w *worker) wait(c int32) {
	below := w.nodes.below(c)
	if int(w.at[c]) == len(below) {
		return
	}
	list := &w.outside
	if k := w.nodes.of[below[w.at[c]]]; k < w.end {
		list = &w.head[k]
	}
	w.next[c], *list = *list, c
}

// pass returns which rows of supernode c are in the columns of supernode k, and lets c
// wait for the next supernode that it updates.
func (w *worker) pass(c, k int32) (from, to int) {
	below := w.nodes.below(c)
	from = int(w.at[c])
	to = from
	for to < len(below) && below[to] < w.nodes.first[k+1] {
		to++
	}
	w.at[c] = int32(to)
	w.wait(c)
	return from, to
}

// apply subtracts what supernode c contributes to the columns of supernode k, in which
// its rows from to to are: L_c·D_c·L_cᵀ over the rows least ≤ r < end, counted from
// the first of these on.
func (w *worker) apply(c, k int32, from, to, least, end int) {
	n := &w.nodes
	below, width, wide, d := n.below(c)[from:], n.width(c), n.width(k), w.d[n.first[c]:n.first[c+1]]
	rows := w.val[n.start[c]+(width+from)*width : n.start[c+1]]
	block := w.val[n.start[k]:n.start[k+1]]
	cols := below[:to-from]
	if pays(width, len(cols)) {
		w.applyPanels(rows, d, below, len(cols), block, wide, n.first[k], least, end)
		return
	}
	w.scaled = resize(w.scaled, len(cols)*width)
	for j := range cols {
		out := w.scaled[j*width : j*width+width]
		for q, v := range rows[j*width : j*width+width] {
			out[q] = v * d[q]
		}
	}
	first := n.first[k]
	if width == 1 { // as most are where few rows tie targets together
		for r := least; r < end; r++ {
			v, out := rows[r], block[int(w.loc[below[r]])*wide:][:wide]
			for j, x := range w.scaled[:min(len(cols), r+1)] {
				out[cols[j]-first] -= v * x
			}
		}
		return
	}
	for r := least; r < end; r += 2 {
		a := rows[r*width : r*width+width]
		outA := block[int(w.loc[below[r]])*wide:][:wide]
		if r+1 == end {
			for j := range min(len(cols), r+1) {
				outA[cols[j]-first] -= Dot(a, w.scaled[j*width:j*width+width])
			}
			break
		}
		b := rows[(r+1)*width : (r+2)*width]
		outB := block[int(w.loc[below[r+1]])*wide:][:wide]
		j, most := 0, min(len(cols), r+1)
		for ; j+1 < most; j += 2 {
			c0, c1 := cols[j]-first, cols[j+1]-first
			aa, ab, ba, bb := dots(a, b, w.scaled[j*width:j*width+width], w.scaled[(j+1)*width:(j+2)*width])
			outA[c0] -= aa
			outA[c1] -= ab
			outB[c0] -= ba
			outB[c1] -= bb
		}
		for ; j < most; j++ {
			x := w.scaled[j*width : j*width+width]
			outA[cols[j]-first] -= Dot(a, x)
			outB[cols[j]-first] -= Dot(b, x)
		}
		if j = r + 1; j < len(cols) {
			outB[cols[j]-first] -= Dot(b, w.scaled[j*width:j*width+width])
		}
	}
}

// dots returns a·x, a·y, b·x, b·y.
func dots(a, b, x, y []float64) (ax, ay, bx, by float64) {
	b, x, y = b[:len(a)], x[:len(a)], y[:len(a)]
	for q, v := range a {
		u, p, r := b[q], x[q], y[q]
		ax += v * p
		ay += v * r
		bx += u * p
		by += u * r
	}
	return ax, ay, bx, by
}

// triangle factors the columns of supernode k, row by row.
func (w *worker) triangle(k int32) {
	n := &w.nodes
	width, f := n.width(k), int(n.first[k])
	block, d := w.val[n.start[k]:n.start[k+1]], w.d[f:f+width]
	for r := range width {
		row := block[r*width : r*width+width]
		eliminate(block, width, row, row, r)
		pivot := unscale(row[:r], d)
		i := w.perm[f+r]
		v := row[r] + w.Diag[i] - pivot
		if sign := w.Sign[i]; !(v*sign > w.Pivot) {
			v = sign * w.Pivot
		}
		d[r], row[r] = v, 1
	}
}

// rest makes rows of L of the rows from ≤ r < to below the columns of supernode k, two at
// a time.
func (w *worker) rest(k int32, from, to int) {
	n := &w.nodes
	width := n.width(k)
	block, d := w.val[n.start[k]:n.start[k+1]], w.d[n.first[k]:n.first[k+1]]
	rows := block[(width+from)*width : (width+to)*width]
	// The sums of the first panel are empty; the last one has the longest.
	panels := pays(width-panelWidth, leastColumns)
	if panels {
		w.eliminatePanels(block, rows, width)
	}
	for ; len(rows) > 0; rows = rows[min(2*width, len(rows)):] {
		a, b := rows[:width], rows[max(0, min(width, len(rows)-width)):][:width]
		if !panels {
			eliminate(block, width, a, b, width)
		}
		unscale(a, d)
		if len(rows) > width {
			unscale(b, d)
		}
	}
}

// eliminate overwrites the first n entries of the rows a and b, which may be the same, with
// the entries of L·D, given the rows of L in block.
func eliminate(block []float64, w int, a, b []float64, n int) {
	one := &a[0] == &b[0]
	j := 0
	for ; j+1 < n; j += 2 {
		x, y := block[j*w:j*w+j], block[(j+1)*w:(j+1)*w+j+1]
		if one {
			a[j] -= Dot(a[:j], x)
			a[j+1] -= Dot(a[:j+1], y)
			continue
		}
		ax, ay, bx, by := dots(a[:j], b[:j], x, y[:j])
		a[j] -= ax
		b[j] -= bx
		a[j+1] -= ay + a[j]*y[j]
		b[j+1] -= by + b[j]*y[j]
	}
	if j < n {
		x := block[j*w : j*w+j]
		a[j] -= Dot(a[:j], x)
		if !one {
			b[j] -= Dot(b[:j], x)
		}
	}
}

// unscale turns a row of L·D into a row of L and returns the amount that both together
// subtract from the pivot.
func unscale(row, d []float64) (pivot float64) {
	d = d[:len(row)]
	for j, g := range row {
		row[j] = g / d[j]
		pivot += g * row[j]
	}
	return pivot
}

// Solve overwrites x by K⁻¹x, or by something near it after Approximate.
func (s *LDL) Solve(x []float64) {
	if s.gradients != nil {
		s.Iterations += s.gradients.solve(x)
		return
	}
	n, y := &s.nodes, s.y
	for k, i := range s.perm {
		y[k] = x[i]
	}
	if s.branches.len() == 0 {
		s.forward(0, int32(n.len()), nil)
		s.backward(0, int32(n.len()))
	} else {
		s.solveBranches()
	}
	for k, i := range s.perm {
		x[i] = y[k]
	}
}

// forward solves with the supernodes from ≤ k < to of L. Their contributions to rows behind
// them go into outside, unless it is nil.
func (s *LDL) forward(from, to int32, outside []float64) {
	n, y := &s.nodes, s.y
	end := n.first[to]
	for k := from; k < to; k++ {
		w, f := n.width(k), int(n.first[k])
		block, own, out := s.val[n.start[k]:n.start[k+1]], y[f:f+w], y
		for r := 1; r < w; r++ {
			own[r] -= Dot(block[r*w:r*w+r], own[:r])
		}
		block = block[w*w:]
		for r, i := range n.below(k) {
			if i >= end && outside != nil {
				out = outside
			}
			out[i] -= Dot(block[r*w:r*w+w], own)
		}
	}
}

// backward solves with the supernodes from ≤ k < to of D·Lᵀ.
func (s *LDL) backward(from, to int32) {
	n, y := &s.nodes, s.y
	for k := to - 1; k >= from; k-- {
		w, f := n.width(k), int(n.first[k])
		block, own := s.val[n.start[k]:n.start[k+1]], y[f:f+w]
		for r := range own {
			own[r] /= s.d[f+r]
		}
		low := block[w*w:]
		for r, i := range n.below(k) {
			v := y[i]
			for j, l := range low[r*w : r*w+w] {
				own[j] -= l * v
			}
		}
		for r := w - 1; r > 0; r-- {
			v := own[r]
			for j, l := range block[r*w : r*w+r] {
				own[j] -= l * v
			}
		}
	}
}
