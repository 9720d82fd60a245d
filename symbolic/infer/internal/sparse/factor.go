package sparse

import "slices"

const (
	// askedAfter is the work after which Late is asked again.
	askedAfter = 1 << 20
	// smallWidth is the most columns of a supernode that is factored without panels.
	smallWidth = 4
	// cornerSize is the size of a matrix for the corner of a panel.
	cornerSize = panelWidth * panelWidth
)

// Factor computes L and D from Diag and Val. Each supernode in turn, whose children have added to
// its front, is factored as a dense block, completes its contribution and adds it to the front of its
// parent.
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
	w.stacked(s.fronts.stemRoom)
	w.factor(s.fronts.stem)
}

// factor works on supernodes.
func (w *worker) factor(order []int32) {
	n, work := &w.nodes, 0.0
	for _, k := range order {
		width, rows := n.width(k), len(n.below(k))
		if work += float64(width * (width + rows) * (width + rows)); work > askedAfter {
			if work = 0; w.late() {
				return
			}
		}
		out := w.contribution(k)
		if w.fronts.child[k] < 0 {
			clear(out)
		}
		if width <= smallWidth && rows <= panelWidth {
			w.small(k, out)
		} else {
			w.triangle(k)
			w.rest(k, 0, rows, w.packs)
			for j := 0; j < rows; j += panelWidth {
				w.contribute(k, j, out)
			}
		}
		w.hand(k, out, nil)
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

// triangle factors the columns of supernode k, panel by panel, and packs for each panel j what
// eliminate needs to solve L_j·D_j·L_jjᵀ = A_j − L_<·D·L_j<ᵀ for a row L_j of L, given the row L_< up
// to the panel: −D·L_j<ᵀ, −D_j·L_jjᵀ and the inverse of D_j·L_jjᵀ.
func (w *worker) triangle(k int32) {
	n := &w.nodes
	width, f := n.width(k), int(n.first[k])
	block, d := w.val[n.start[k]:n.start[k]+width*width], w.d[f:f+width]
	if width == 1 {
		w.pivot(f, &block[0])
		return
	}
	w.packs = resize(w.packs, packedAt((width+panelWidth-1)/panelWidth))
	for j := 0; j < width; j += panelWidth {
		m, own := min(panelWidth, width-j), block[j*width:]
		packed := w.packs[packedAt(j/panelWidth):]
		if j > 0 {
			pack(packed, own, width, d[:j], m)
			sums := w.none(m)
			product(j, own, width, packed, panelWidth, sums)
			for r := range m {
				row, sum := own[r*width+j:][:r+1], sums[panelWidth*r:]
				for c := range row {
					row[c] += sum[c]
				}
			}
		}
		w.corner(f+j, m, own[j:], width, packed[panelWidth*j:])
		w.eliminate(own[m*width:], width, j, packed)
	}
}

// packedAt returns where what is packed for panel p begins.
func packedAt(p int) int { return panelWidth * panelWidth / 2 * p * (p + 3) }

// corner factors the m × m block of rows, width apart, whose first row is row f of L, and packs
// −D·Lᵀ and its inverse with the sign +.
func (w *worker) corner(f, m int, rows []float64, width int, packed []float64) {
	d, product, inverse := w.d[f:f+m], packed[:cornerSize], packed[cornerSize:2*cornerSize]
	clear(product)
	clear(inverse)
	for r := range m {
		row := rows[r*width:][:r+1]
		for c := range r {
			v := row[c]
			for q, l := range rows[c*width:][:c] {
				v -= row[q] * l
			}
			row[c] = v
			product[c*panelWidth+r] = -v
		}
		row[r] -= unscale(row[:r], d)
		w.pivot(f+r, &row[r])
		product[r*panelWidth+r] = -d[r]
		// Column r of L⁻ᵀ.
		inverse[r*panelWidth+r] = 1
		for q, l := range row[:r] {
			for c := range q + 1 {
				inverse[c*panelWidth+r] -= l * inverse[c*panelWidth+q]
			}
		}
	}
	for c, v := range d {
		for q := range c + 1 {
			inverse[q*panelWidth+c] /= v
		}
	}
}

// pivot makes the pivot of row i of L of Diag and v, what other columns subtract from it, and
// writes 1, the diagonal of L, to v.
func (w *worker) pivot(i int, v *float64) {
	at := w.perm[i]
	d := *v + w.Diag[at]
	if sign := w.Sign[at]; !(d*sign > w.Pivot) {
		d = sign * w.Pivot
	}
	w.d[i], *v = d, 1
}

// rest makes rows of L of the rows from ≤ r < to below the columns of supernode k, with what
// its triangle has packed.
func (w *worker) rest(k int32, from, to int, packs []float64) {
	n := &w.nodes
	width := n.width(k)
	rows := w.val[n.start[k]+(width+from)*width : n.start[k]+(width+to)*width]
	if width == 1 {
		inverse := 1 / w.d[n.first[k]]
		for r := range rows {
			rows[r] *= inverse
		}
		return
	}
	for some := range slices.Chunk(rows, panelRows*width) {
		for j := 0; j < width; j += panelWidth {
			w.eliminate(some, width, j, packs[packedAt(j/panelWidth):])
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
