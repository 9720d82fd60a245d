package sparse

import "unsafe"

//go:generate go -C ../../../../lab/asmgen run . -gen panel -dir ../../symbolic/infer/internal/sparse -pkg sparse

// lanes is the number of float64 in the registers that are taken, 0 for none.
var lanes = append(widths(), 0)[0]

// vector reports whether panel can be called.
func vector() bool { return lanes > 0 }

// panel adds to out the product of rows of a, lda apart and n long, and the packed panel s
// of n rows; out has panelWidth sums for each row. The number of lanes does not change the
// bits of the sums.
func panel(n int, a []float64, lda int, s []float64, lds int, out []float64) {
	m := len(out) / panelWidth
	if m == 0 || n == 0 {
		return
	}
	_, _ = a[(m-1)*lda+n-1], s[(n-1)*lds+panelWidth-1]
	panelAsm(m, n, unsafe.SliceData(a), lda, unsafe.SliceData(s), lds, unsafe.SliceData(out))
}
