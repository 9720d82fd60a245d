package sparse

// Where the processor has wide registers and a supernode is wide enough, products are made
// of panels, panelWidth columns at a time and for up to panelRows rows, which with their
// sums fit into the nearest cache.
const (
	panelWidth = 8
	panelRows  = 192
	// leastSum is the least length of the sums, and leastColumns the least number of
	// columns, that are worth packing.
	leastSum, leastColumns = 8, 4
)

// pays reports whether a product with sums of length n should be made of panels.
func pays(n, columns int) bool { return n >= leastSum && columns >= leastColumns && vector() }

// panels makes room for a packed panel of n rows and for the sums of a product. Entries of the
// last panel beyond its columns keep their old values: nobody reads their sums.
func (w *worker) panels(n int) (packed, sums []float64) {
	w.scaled = resize(w.scaled, panelWidth*(n+panelRows))
	return w.scaled[:panelWidth*n], w.scaled[panelWidth*n:]
}

// applyPanels is the product of apply: of the rows that start at the first of columns with
// the first columns of them times d, subtracted from the rows least ≤ r < end of below in
// block.
func (w *worker) applyPanels(rows, d []float64, below []int32, columns int, block []float64, wide int, first int32, least, end int) {
	width := len(d)
	packed, sums := w.panels(width)
	for j := 0; j < min(columns, end); j += panelWidth {
		cols := below[j:min(j+panelWidth, columns)]
		for c := range cols {
			for q, v := range rows[(j+c)*width : (j+c+1)*width] {
				packed[q*panelWidth+c] = v * d[q]
			}
		}
		from := int(cols[0] - first)
		whole := len(cols) == panelWidth && cols[panelWidth-1]-cols[0] == panelWidth-1
		// Rows above the diagonal of the panel are made for nothing: the triangle there is
		// not used.
		for r := max(j, least); r < end; r += panelRows {
			m := min(panelRows, end-r)
			panel(width, rows[r*width:], width, packed, sums[:m*panelWidth])
			for n, i := range below[r : r+m] {
				to, sum := block[int(w.loc[i])*wide:][:wide], (*[panelWidth]float64)(sums[n*panelWidth:])
				if whole {
					subtract((*[panelWidth]float64)(to[from:]), sum)
					continue
				}
				for c, k := range cols {
					to[k-first] -= sum[c]
				}
			}
		}
	}
}

// eliminatePanels is eliminate for rows below the triangle of a block of width columns.
func (w *worker) eliminatePanels(block, rows []float64, width int) {
	packed, sums := w.panels(width)
	for j := 0; j < width; j += panelWidth {
		n := min(panelWidth, width-j)
		if j > 0 {
			s := packed[:j*panelWidth]
			for c := range n {
				for q, v := range block[(j+c)*width:][:j] {
					s[q*panelWidth+c] = v
				}
			}
			for r := 0; r < len(rows); r += panelRows * width {
				m := min(panelRows, (len(rows)-r)/width)
				panel(j, rows[r:], width, s, sums[:m*panelWidth])
				for i := range m {
					to, sum := rows[r+i*width+j:][:n], (*[panelWidth]float64)(sums[i*panelWidth:])
					if n == panelWidth {
						subtract((*[panelWidth]float64)(to), sum)
						continue
					}
					for c := range to {
						to[c] -= sum[c]
					}
				}
			}
		}
		for r := j; r < len(rows); r += width {
			a := rows[r:][:n]
			for c := 1; c < n; c++ {
				v := a[c]
				for q, l := range block[(j+c)*width+j:][:c] {
					v -= a[q] * l
				}
				a[c] = v
			}
		}
	}
}

// subtract takes a row of a product from where it belongs.
func subtract(to, sum *[panelWidth]float64) {
	to[0] -= sum[0]
	to[1] -= sum[1]
	to[2] -= sum[2]
	to[3] -= sum[3]
	to[4] -= sum[4]
	to[5] -= sum[5]
	to[6] -= sum[6]
	to[7] -= sum[7]
}
