package sparse

import "github.com/klauspost/cpuid/v2"

// widths are the numbers of float64 in the registers that there are, widest first.
func widths() []int {
	switch {
	case !cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3):
		return nil
	case !cpuid.CPU.Supports(cpuid.AVX512F):
		return []int{4}
	}
	return []int{8, 4}
}

// panelAsm is panel without checks.
func panelAsm(m, n int, a *float64, lda int, s *float64, lds int, out *float64) {
	if lanes == 8 {
		panelAVX512(m, n, a, lda, s, lds, out)
		return
	}
	panelAVX2(m, n, a, lda, s, lds, out)
}

// columns is the assembly of Larger.
func columns(m, k, first int, rows *int32, terms, dense *float64, found *int, out *float64) int {
	if lanes == 8 {
		return columnsAVX512(m, k, first, rows, terms, dense, found, out)
	}
	return columnsAVX2(m, k, first, rows, terms, dense, found, out)
}
