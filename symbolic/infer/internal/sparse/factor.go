package sparse

// Factor computes L and D from Diag and Val. Each supernode in turn takes the
// updates of those before it (left-looking), is factored as a dense block, and
// waits in the list of the next supernode that it updates.
func (s *LDL) Factor() {
	n := &s.nodes
	clear(s.val)
	for slot, at := range n.place {
		s.val[at] += s.Val[slot]
	}
	for k := range s.head {
		s.head[k] = -1
	}
	for k := range int32(n.len()) {
		w, below := n.width(k), n.below(k)
		for j := range w {
			s.loc[int(n.first[k])+j] = int32(j)
		}
		for r, i := range below {
			s.loc[i] = int32(w + r)
		}
		for c := s.head[k]; c >= 0; {
			next := s.next[c]
			s.apply(c, k)
			c = next
		}
		s.dense(k)
		s.at[k] = 0
		s.wait(k)
	}
}

// wait puts supernode c into the list of the one that its next row is in.
func (s *LDL) wait(c int32) {
	below := s.nodes.below(c)
	if int(s.at[c]) == len(below) {
		return
	}
	k := s.nodes.of[below[s.at[c]]]
	s.next[c], s.head[k] = s.head[k], c
}

// apply subtracts what supernode c contributes to the columns of supernode k:
// L_c·D_c·L_cᵀ over the rows of c from the first one in k on.
func (s *LDL) apply(c, k int32) {
	n := &s.nodes
	from, below := int(s.at[c]), n.below(c)
	to := from
	for to < len(below) && below[to] < n.first[k+1] {
		to++
	}
	s.at[c] = int32(to)
	s.wait(c)
	w, wide, d := n.width(c), n.width(k), s.d[n.first[c]:n.first[c+1]]
	rows := s.val[n.start[c]+(w+from)*w : n.start[c+1]]
	block := s.val[n.start[k]:n.start[k+1]]
	below = below[from:]
	cols := below[:to-from]
	if pays(w, len(cols)) {
		s.applyPanels(rows, d, below, len(cols), block, wide, n.first[k])
		return
	}
	s.scaled = resize(s.scaled, len(cols)*w)
	for j := range cols {
		out := s.scaled[j*w : j*w+w]
		for q, v := range rows[j*w : j*w+w] {
			out[q] = v * d[q]
		}
	}
	first := n.first[k]
	for r := 0; r < len(below); r += 2 {
		a := rows[r*w : r*w+w]
		outA := block[int(s.loc[below[r]])*wide:][:wide]
		if r+1 == len(below) {
			for j := range min(len(cols), r+1) {
				outA[cols[j]-first] -= Dot(a, s.scaled[j*w:j*w+w])
			}
			break
		}
		b := rows[(r+1)*w : (r+2)*w]
		outB := block[int(s.loc[below[r+1]])*wide:][:wide]
		j, most := 0, min(len(cols), r+1)
		for ; j+1 < most; j += 2 {
			c0, c1 := cols[j]-first, cols[j+1]-first
			aa, ab, ba, bb := dots(a, b, s.scaled[j*w:j*w+w], s.scaled[(j+1)*w:(j+2)*w])
			outA[c0] -= aa
			outA[c1] -= ab
			outB[c0] -= ba
			outB[c1] -= bb
		}
		for ; j < most; j++ {
			x := s.scaled[j*w : j*w+w]
			outA[cols[j]-first] -= Dot(a, x)
			outB[cols[j]-first] -= Dot(b, x)
		}
		if j = r + 1; j < len(cols) {
			outB[cols[j]-first] -= Dot(b, s.scaled[j*w:j*w+w])
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

// dense factors the block of supernode k: row by row in its triangle, two rows at a
// time below it.
func (s *LDL) dense(k int32) {
	n := &s.nodes
	w, f := n.width(k), int(n.first[k])
	block, d := s.val[n.start[k]:n.start[k+1]], s.d[f:f+w]
	for r := range w {
		row := block[r*w : r*w+w]
		eliminate(block, w, row, row, r)
		pivot := unscale(row[:r], d)
		i := s.perm[f+r]
		v := row[r] + s.Diag[i] - pivot
		if sign := s.Sign[i]; !(v*sign > s.Pivot) {
			v = sign * s.Pivot
		}
		d[r], row[r] = v, 1
	}
	// The sums of the first panel are empty, those of the last one the longest.
	panels := pays(w-panelWidth, leastColumns)
	if panels {
		s.eliminatePanels(block, w)
	}
	for rows := block[w*w:]; len(rows) > 0; rows = rows[min(2*w, len(rows)):] {
		a, b := rows[:w], rows[max(0, min(w, len(rows)-w)):][:w]
		if !panels {
			eliminate(block, w, a, b, w)
		}
		unscale(a, d)
		if len(rows) > w {
			unscale(b, d)
		}
	}
}

// eliminate overwrites the first n entries of the rows a and b, which may be the same,
// by those of L·D, given the rows of L in block.
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

// unscale makes of a row of L·D that of L and returns what both together take from the
// pivot.
func unscale(row, d []float64) (pivot float64) {
	d = d[:len(row)]
	for j, g := range row {
		row[j] = g / d[j]
		pivot += g * row[j]
	}
	return pivot
}

// Solve overwrites x by K⁻¹x.
func (s *LDL) Solve(x []float64) {
	n, y := &s.nodes, s.y
	for k, i := range s.perm {
		y[k] = x[i]
	}
	for k := range int32(n.len()) {
		w, f := n.width(k), int(n.first[k])
		block, own := s.val[n.start[k]:n.start[k+1]], y[f:f+w]
		for r := 1; r < w; r++ {
			own[r] -= Dot(block[r*w:r*w+r], own[:r])
		}
		block = block[w*w:]
		for r, i := range n.below(k) {
			y[i] -= Dot(block[r*w:r*w+w], own)
		}
	}
	for k := int32(n.len()) - 1; k >= 0; k-- {
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
	for k, i := range s.perm {
		x[i] = y[k]
	}
}
