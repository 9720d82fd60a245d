//go:build !amd64 && !arm64

package sparse

// vector tells that there is no panel: this architecture has no assembly.
func vector() bool { return false }

func panel(n int, a []float64, lda int, s []float64, lds int, out []float64) {}

func columns(m, k, first int, rows *int32, terms, dense *float64, found *int, out *float64) int {
	return 0
}
