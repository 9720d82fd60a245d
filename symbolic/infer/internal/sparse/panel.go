package sparse

// Products are made of panels, panelWidth columns at a time and for up to panelRows rows, which
// with their sums fit into the nearest cache.
const (
	panelWidth = 8
	panelRows  = 192
)

// pack writes the first m ≤ panelWidth of rows, width apart, as columns of a panel, times −d, and 0
// into the columns that are left.
func pack(packed, rows []float64, width int, d []float64, m int) {
	if m < panelWidth {
		clear(packed[:panelWidth*len(d)])
		for c := range m {
			for q, v := range rows[c*width:][:len(d)] {
				packed[q*panelWidth+c] = -v * d[q]
			}
		}
		return
	}
	var row [panelWidth][]float64
	for c := range row {
		row[c] = rows[c*width:][:len(d)]
	}
	a, b, c, e, f, g, h, i := row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
	for q, v := range d {
		to := (*[panelWidth]float64)(packed[q*panelWidth:])
		v = -v
		to[0] = a[q] * v
		to[1] = b[q] * v
		to[2] = c[q] * v
		to[3] = e[q] * v
		to[4] = f[q] * v
		to[5] = g[q] * v
		to[6] = h[q] * v
		to[7] = i[q] * v
	}
}

// product adds to out the product of rows of a, lda apart and n long, and the panel of the first
// panelWidth columns of n rows of s, lds apart; out has panelWidth sums for each row.
func product(n int, a []float64, lda int, s []float64, lds int, out []float64) {
	if vector() {
		panel(n, a, lda, s, lds, out)
		return
	}
	for r := range len(out) / panelWidth {
		sum := (*[panelWidth]float64)(out[r*panelWidth:])
		for q, v := range a[r*lda:][:n] {
			x := (*[panelWidth]float64)(s[q*lds:])
			sum[0] += v * x[0]
			sum[1] += v * x[1]
			sum[2] += v * x[2]
			sum[3] += v * x[3]
			sum[4] += v * x[4]
			sum[5] += v * x[5]
			sum[6] += v * x[6]
			sum[7] += v * x[7]
		}
	}
}

// none returns sums of 0 for a product with m ≤ panelRows rows.
func (w *worker) none(m int) []float64 {
	sums := w.sums[:panelWidth*m]
	clear(sums)
	return sums
}

// eliminate makes entries of L in the panel that begins with column j of rows, width apart and at
// most panelRows, with what triangle has packed for it. An inverse alone would lose digits that a
// substitution keeps; the error that it leaves is solved for once more.
func (w *worker) eliminate(rows []float64, width, j int, packed []float64) {
	m, n := len(rows)/width, min(panelWidth, width-j)
	sums, rest := w.none(m), w.left[:panelWidth*m]
	for r := range m {
		copyPanel(rest[panelWidth*r:], rows[r*width+j:], n)
	}
	corner, inverse := packed[panelWidth*j:], packed[panelWidth*j+cornerSize:]
	product(j, rows, width, packed, panelWidth, rest)
	product(n, rest, panelWidth, inverse, panelWidth, sums)
	product(n, sums, panelWidth, corner, panelWidth, rest)
	product(n, rest, panelWidth, inverse, panelWidth, sums)
	for r := range m {
		copyPanel(rows[r*width+j:], sums[panelWidth*r:], n)
	}
}

// copyPanel copies n ≤ panelWidth numbers.
func copyPanel(to, from []float64, n int) {
	if n < panelWidth {
		copy(to[:n], from)
		return
	}
	*(*[panelWidth]float64)(to) = *(*[panelWidth]float64)(from)
}

// contribute adds what supernode k itself contributes to the panel of out that begins with column j.
func (w *worker) contribute(k int32, j int, out []float64) {
	n := &w.nodes
	width, below := n.width(k), len(n.below(k))
	rows, d := w.val[n.start[k]+(width+j)*width:n.start[k+1]], w.d[n.first[k]:n.first[k+1]]
	w.packed = resize(w.packed, panelWidth*width)
	pack(w.packed, rows, width, d, min(panelWidth, below-j))
	product(width, rows, width, w.packed, panelWidth, out[column(below, j)+panelWidth*j:][:panelWidth*(below-j)])
}
