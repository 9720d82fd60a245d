package sparse

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:generate go -C ../../../../nn/kernel/internal/asmgen run . -gen panel -out ../../../../symbolic/infer/internal/sparse/panel_amd64.s -stubs ../../../../symbolic/infer/internal/sparse/panel_amd64.go -pkg sparse

// lanes is the number of float64 in the widest registers of the processor, 0 where those
// have fewer than four.
var lanes = widest()

func widest() int {
	switch {
	case !cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3):
		return 0
	case !cpuid.CPU.Supports(cpuid.AVX512F):
		return 4
	}
	return 8
}

// vector tells whether panel can be called.
func vector() bool { return lanes > 0 }

// panel writes into out the product of rows of a, lda apart and n long, and the packed
// panel s of n rows; out has panelWidth sums for each row. Sums have the same bits whatever
// lanes is.
func panel(n int, a []float64, lda int, s, out []float64) {
	m := len(out) / panelWidth
	if m == 0 || n == 0 {
		return
	}
	_, _ = a[(m-1)*lda+n-1], s[n*panelWidth-1]
	if lanes == 8 {
		panelAVX512(m, n, unsafe.SliceData(a), lda, unsafe.SliceData(s), unsafe.SliceData(out))
		return
	}
	panelAVX2(m, n, unsafe.SliceData(a), lda, unsafe.SliceData(s), unsafe.SliceData(out))
}
