package sparse

// leastProduct is the least number of columns of a supernode that is worth products, of which a
// solution needs one column.
const leastProduct = 4

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
		for block = block[width*width:]; len(below) > 0; {
			m := min(len(below), panelRows)
			sums := w.sums[:m*panelWidth]
			w.dots(block, own, sums)
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

// dots writes into sums, panelWidth apart, the products of rows of a supernode and x.
func (w *worker) dots(rows, x, sums []float64) {
	width := len(x)
	switch {
	case width == 1:
		for r, l := range rows[:len(sums)/panelWidth] {
			sums[panelWidth*r] = l * x[0]
		}
	case width >= leastProduct && vector():
		w.packed = resize(w.packed, panelWidth*width)
		clear(w.packed)
		for q, v := range x {
			w.packed[panelWidth*q] = v
		}
		clear(sums)
		product(width, rows, width, w.packed, panelWidth, sums)
	default:
		for r := 0; r < len(sums); r += panelWidth {
			sums[r] = Dot(rows[:width], x)
			rows = rows[width:]
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
		w.subtract(own, block[width*width:], below)
		for r := width - 1; r > 0; r-- {
			v := own[r]
			for j, l := range block[r*width : r*width+r] {
				own[j] -= l * v
			}
		}
	}
}

// subtract takes from own the products of the columns of rows and y at the rows below. Room for
// panelWidth numbers follows the last row.
func (w *worker) subtract(own, rows []float64, below []int32) {
	width, y := len(own), w.y
	switch {
	case width == 1:
		v := own[0]
		for r, i := range below {
			v -= rows[r] * y[i]
		}
		own[0] = v
	case width >= leastProduct && len(below) > 0 && vector():
		w.packed = resize(w.packed, len(below))
		for r, i := range below {
			w.packed[r] = y[i]
		}
		for j := 0; j < width; j += panelWidth {
			sums := w.none(1)
			product(len(below), w.packed, 0, rows[j:], width, sums)
			for c := range own[j:min(j+panelWidth, width)] {
				own[j+c] -= sums[c]
			}
		}
	default:
		for r, i := range below {
			v := y[i]
			for j, l := range rows[r*width : r*width+width] {
				own[j] -= l * v
			}
		}
	}
}
