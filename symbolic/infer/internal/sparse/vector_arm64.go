package sparse

import "unsafe"

// widths are the numbers of float64 in the registers that there are: NEON belongs to every
// arm64 processor.
func widths() []int { return []int{2} }

// panelAsm is panel without checks.
func panelAsm(m, n int, a *float64, lda int, s, out *float64) { panelNEON(m, n, a, lda, s, out) }

// columns is Products without checks.
func columns(m, k int, at []int, val, g, out []float64) {
	columnsNEON(m, k, unsafe.SliceData(at), unsafe.SliceData(val), unsafe.SliceData(g), unsafe.SliceData(out))
}
