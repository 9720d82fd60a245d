package sparse

import "unsafe"

//go:generate go -C ../../../../lab/asmgen run . -gen columns -dir ../../symbolic/infer/internal/sparse -pkg sparse

// Columns is the number of columns of g and out in Larger.
const Columns = 8

// Larger finds rows of which a column of a + Σ_j f_j·g_j is larger than a bound. A row has k
// terms and lies in k+1 numbers of rows: the byte in terms where bound, a and factors f_j begin,
// which rows may share, and for each term the byte in g where the Columns numbers of g_j begin.
// The rows found are those of the next n numbers of found, row first being that at rows[0], and
// their sums, over the terms in order, are in as many times Columns numbers of out. Both have
// room for all rows. With vector instructions products are fused with sums, elsewhere as Go does.
func Larger(k, first int, rows []int32, terms, g []float64, found []int, out []float64) (n int) {
	m := len(rows) / (k + 1)
	if m == 0 {
		return 0
	}
	if vector() {
		_, _ = found[m-1], out[m*Columns-1]
		return columns(m, k, first, unsafe.SliceData(rows), unsafe.SliceData(terms), unsafe.SliceData(g), unsafe.SliceData(found), unsafe.SliceData(out)) / 8
	}
	for r := range m {
		row := rows[r*(k+1) : (r+1)*(k+1)]
		t := terms[row[0]/8:]
		v := (*[Columns]float64)(out[n*Columns:])
		for l := range v {
			v[l] = t[1]
		}
		for j, at := range row[1:] {
			a, x := t[2+j], (*[Columns]float64)(g[at/8:])
			v[0] += a * x[0]
			v[1] += a * x[1]
			v[2] += a * x[2]
			v[3] += a * x[3]
			v[4] += a * x[4]
			v[5] += a * x[5]
			v[6] += a * x[6]
			v[7] += a * x[7]
		}
		if max(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]) > t[0] {
			found[n] = first + r
			n++
		}
	}
	return n
}
