package sparse

// lookedAfter is the work after which Late is asked.
const lookedAfter = 1 << 20

// smallWidth is the width up to which a supernode with few rows is factored without panels.
const smallWidth = 4

// Factor computes L and D from Diag and Val. Each supernode in turn takes the contributions of
// its children, is factored as a dense block, and makes its own contribution.
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
	if s.branches.len() > 0 {
		s.factorBranches()
		return
	}
	w := s.worker(0)
	w.stacked(s.fronts.stem)
	w.factor(0, int32(n.len()))
}

// factor works on the supernodes from ≤ k < to.
func (w *worker) factor(from, to int32) {
	n, work := &w.nodes, 0.0
	for k := from; k < to; k++ {
		width, rows := n.width(k), len(n.below(k))
		if work += float64(width * (width + rows) * (width + rows)); work > lookedAfter {
			if work = 0; w.late() {
				return
			}
		}
		out := w.contribution(k)
		clear(out)
		w.children(k, 0, width+rows, out)
		if width <= smallWidth && rows <= panelWidth {
			w.small(k, out)
			continue
		}
		w.triangle(k)
		w.rest(k, 0, rows, w.packs)
		for j := 0; j < rows; j += panelWidth {
			w.contribute(k, j, out)
		}
	}
}

// small factors a supernode with at most smallWidth columns, whose contribution is one panel.
func (w *worker) small(k int32, out []float64) {
	n := &w.nodes
	width, f := n.width(k), int(n.first[k])
	block, d := w.val[n.start[k]:n.start[k+1]], w.d[f:f+width]
	var scaled [smallWidth]float64 // a row of L·D
	for r := 0; r*width < len(block); r++ {
		row := block[r*width:][:width]
		m := min(r, width)
		for c := 1; c < m; c++ {
			v := row[c]
			for q, l := range block[c*width:][:c] {
				v -= row[q] * l
			}
			row[c] = v
		}
		copy(scaled[:], row)
		left := unscale(row[:m], d)
		if r < width {
			row[r] -= left
			w.pivot(f+r, &row[r])
			continue
		}
		to := out[panelWidth*(r-width):]
		for c := range r - width + 1 {
			v := 0.0
			for q, l := range block[(width+c)*width:][:width] {
				v += scaled[q] * l
			}
			to[c] -= v
		}
	}
}

// children adds the contributions of the children of supernode k to the columns least ≤ j < end of
// its front.
func (w *worker) children(k int32, least, end int, out []float64) {
	for c := w.fronts.child[k]; c >= 0; c = w.fronts.sibling[c] {
		w.take(c, k, w.contribution(c), least, end, out)
	}
}

// triangle factors the columns of supernode k, panel by panel, and packs for each panel the
// matrix that turns a row of L up to it, followed by entries of the matrix in it, into the row of L
// there: L_r = (A_r − L_<·D·L_jᵀ)·L_jj⁻ᵀ·D⁻¹.
func (w *worker) triangle(k int32) {
	n := &w.nodes
	width, f := n.width(k), int(n.first[k])
	block, d := w.val[n.start[k]:n.start[k]+width*width], w.d[f:f+width]
	if width == 1 {
		w.pivot(f, &block[0])
		return
	}
	panels := (width + panelWidth - 1) / panelWidth
	w.packs = resize(w.packs, packedAt(panels))
	for j := 0; j < width; j += panelWidth {
		m := min(panelWidth, width-j)
		packed := w.packs[packedAt(j/panelWidth):][:panelWidth*(j+m)]
		own := block[j*width:]
		if j > 0 {
			pack(packed, own, width, d[:j], 1, m)
			sums := w.none(m)
			product(j, own, width, packed, panelWidth, sums)
			for r := range m {
				row, sum := own[r*width+j:][:r+1], sums[panelWidth*r:]
				for c := range row {
					row[c] -= sum[c]
				}
			}
		}
		inverse := (*[panelWidth * panelWidth]float64)(w.inverse[:])
		*inverse = [panelWidth * panelWidth]float64{}
		for r := range m {
			row := own[r*width+j:][:r+1]
			for c := range r {
				v := row[c]
				for q, l := range own[c*width+j:][:c] {
					v -= row[q] * l
				}
				row[c] = v
			}
			left := unscale(row[:r], d[j:])
			row[r] -= left
			w.pivot(f+j+r, &row[r])
			// Row r of L_jj⁻¹ is the column r of its transpose.
			inverse[r*panelWidth+r] = 1
			for q, l := range row[:r] {
				for c := range q + 1 {
					inverse[c*panelWidth+r] -= l * inverse[c*panelWidth+q]
				}
			}
		}
		for c := range m {
			inv := 1 / d[j+c]
			for q := range c + 1 {
				inverse[q*panelWidth+c] *= inv
			}
		}
		if j > 0 {
			sums := w.none(j)
			product(m, packed, panelWidth, inverse[:], panelWidth, sums)
			for i, v := range sums {
				packed[i] = -v
			}
		}
		copy(packed[panelWidth*j:], inverse[:])
		w.eliminate(block[(j+m)*width:], width, j, packed)
	}
}

// packedAt returns where the matrices of panel p begin.
func packedAt(p int) int { return panelWidth * panelWidth / 2 * p * (p + 1) }

// pivot makes v, what is left of the diagonal of row i of L off Diag, the pivot of that row, and
// writes the diagonal of L.
func (w *worker) pivot(i int, v *float64) {
	at := w.perm[i]
	d := *v + w.Diag[at]
	if sign := w.Sign[at]; !(d*sign > w.Pivot) {
		d = sign * w.Pivot
	}
	w.d[i], *v = d, 1
}

// rest makes rows of L of the rows from ≤ r < to below the columns of supernode k, whose triangle
// has packed packs.
func (w *worker) rest(k int32, from, to int, packs []float64) {
	n := &w.nodes
	width := n.width(k)
	rows := w.val[n.start[k]+(width+from)*width : n.start[k]+(width+to)*width]
	if width == 1 {
		inv := 1 / w.d[n.first[k]]
		for r := range rows {
			rows[r] *= inv
		}
		return
	}
	for ; len(rows) > 0; rows = rows[min(panelRows*width, len(rows)):] {
		some := rows[:min(panelRows*width, len(rows))]
		for j := 0; j < width; j += panelWidth {
			w.eliminate(some, width, j, packs[packedAt(j/panelWidth):])
		}
	}
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
	if w := s.worker(0); s.branches.len() == 0 {
		w.forward(0, int32(n.len()), nil)
		w.backward(0, int32(n.len()))
	} else {
		s.solveBranches()
	}
	for k, i := range s.perm {
		x[i] = y[k]
	}
}

// forward solves with the supernodes from ≤ k < to of L. Their contributions to rows behind
// them go into outside, unless it is nil.
func (w *worker) forward(from, to int32, outside []float64) {
	n, y := &w.nodes, w.y
	end := n.first[to]
	for k := from; k < to; k++ {
		width, f := n.width(k), int(n.first[k])
		block, own, below, out := w.val[n.start[k]:n.start[k+1]], y[f:f+width], n.below(k), y
		for r := 1; r < width; r++ {
			own[r] -= Dot(block[r*width:r*width+r], own[:r])
		}
		block = block[width*width:]
		products := vector() && width >= panelWidth
		if products {
			w.packed = resize(w.packed, panelWidth*width)
			clear(w.packed)
			for q, v := range own {
				w.packed[panelWidth*q] = v
			}
		}
		for len(below) > 0 {
			m := min(len(below), panelRows)
			sums := w.sums[:m*panelWidth]
			switch {
			case products:
				clear(sums)
				product(width, block, width, w.packed, panelWidth, sums)
			case width == 1:
				v := own[0]
				for r, l := range block[:m] {
					sums[panelWidth*r] = l * v
				}
			default:
				for r := range m {
					sums[panelWidth*r] = Dot(block[r*width:r*width+width], own)
				}
			}
			for r, i := range below[:m] {
				if i >= end && outside != nil {
					out = outside
				}
				out[i] -= sums[panelWidth*r]
			}
			below, block = below[m:], block[m*width:]
		}
	}
}

// backward solves with the supernodes from ≤ k < to of D·Lᵀ.
func (w *worker) backward(from, to int32) {
	n, y := &w.nodes, w.y
	for k := to - 1; k >= from; k-- {
		width, f := n.width(k), int(n.first[k])
		block, own, below := w.val[n.start[k]:], y[f:f+width], n.below(k)
		for r := range own {
			own[r] /= w.d[f+r]
		}
		low := block[width*width:]
		switch {
		case width == 1:
			v := own[0]
			for r, i := range below {
				v -= low[r] * y[i]
			}
			own[0] = v
		case vector() && width >= panelWidth && len(below) > 0:
			w.packed = resize(w.packed, len(below))
			for r, i := range below {
				w.packed[r] = y[i]
			}
			for j := 0; j < width; j += panelWidth {
				sums := w.none(1)
				product(len(below), w.packed, 0, low[j:], width, sums)
				for c := range own[j:min(j+panelWidth, width)] {
					own[j+c] -= sums[c]
				}
			}
		default:
			for r, i := range below {
				v := y[i]
				for j, l := range low[r*width : r*width+width] {
					own[j] -= l * v
				}
			}
		}
		for r := width - 1; r > 0; r-- {
			v := own[r]
			for j, l := range block[r*width : r*width+r] {
				own[j] -= l * v
			}
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
