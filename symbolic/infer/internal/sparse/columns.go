package sparse

//go:generate go -C ../../../../lab/asmgen run . -gen columns -dir ../../symbolic/infer/internal/sparse -pkg sparse

// Columns is the number of columns of g and out in Products.
const Columns = 8

// Products writes into out the products of sparse rows of k ≥ 1 terms each and the dense
// matrix g. Term i has the factor val[i] and the row of g that begins at byte at[i], a
// multiple of 64. out has Columns numbers for each row. Sums run over the terms in order; with
// vector instructions products are fused with them, elsewhere as Go does.
func Products(k int, at []int, val, g, out []float64) {
	m := len(out) / Columns
	if m == 0 {
		return
	}
	if vector() {
		columns(m, k, at[:m*k], val[:m*k], g, out)
		return
	}
	for r := range m {
		var v [Columns]float64
		for j := r * k; j < (r+1)*k; j++ {
			a, x := val[j], (*[Columns]float64)(g[at[j]/8:])
			v[0] += a * x[0]
			v[1] += a * x[1]
			v[2] += a * x[2]
			v[3] += a * x[3]
			v[4] += a * x[4]
			v[5] += a * x[5]
			v[6] += a * x[6]
			v[7] += a * x[7]
		}
		*(*[Columns]float64)(out[r*Columns:]) = v
	}
}
