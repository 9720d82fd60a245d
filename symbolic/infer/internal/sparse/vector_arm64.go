package sparse

// widths are the numbers of float64 in the registers that there are: NEON belongs to every
// arm64 processor.
func widths() []int { return []int{2} }

// panelAsm is panel without checks.
func panelAsm(m, n int, a *float64, lda int, s *float64, lds int, out *float64) {
	panelNEON(m, n, a, lda, s, lds, out)
}

// columns is the assembly of Larger.
func columns(m, k, first int, rows *int32, terms, dense *float64, found *int, out *float64) int {
	return columnsNEON(m, k, first, rows, terms, dense, found, out)
}
