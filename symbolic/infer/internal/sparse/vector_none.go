//go:build !amd64 && !arm64

package sparse

// widths is empty: this architecture has no assembly, and the functions below are not called.
func widths() []int { return nil }

func panelAsm(m, n int, a *float64, lda int, s *float64, lds int, out *float64) {}

func columns(m, k, first int, rows *int32, terms, dense *float64, found *int, out *float64) int {
	return 0
}
