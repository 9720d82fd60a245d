//go:build !amd64 && !arm64

package sparse

// vector tells that there is no panel: this architecture has no assembly.
func vector() bool { return false }

func panel(n int, a []float64, lda int, s, out []float64) {}

func columns(m, k int, at []int, val, g, out []float64) {}
