//go:build !amd64 && !arm64

package kernel

// This architecture has no assembly: every kernel takes the portable path.

func asmPaths() []*path { return nil }

func strip32(s *strip[float32], cols int) bool { return false }

func packRows32(dst []float32, nr int, src []float32, ld, rows int) int { return 0 }

func packCols32(dst []float32, nr int, src []float32, ld, ahead, k int) int { return 0 }

func moveRows32(dst []float32, ldd int, src []float32, lds, rows, n int) bool { return false }

func pass32(l *pass[float32], dst, src *blocks[float32], n int, e *epilogue[float32]) bool {
	return false
}

func vector() bool { return false }

func scaleVec(n int, alpha float32, x *float32) {}

func lerpVec(n int, t float32, x, y *float32) {}

func reluVec(n int, x, y *float32) {}

func maskVec(n int, dy, y, dx *float32) {}

func adamVec(n int, p, grad, m, v *float32, coef *[10]float32) {}

func sumSquaresVec(n int, x *float32) float64 { return 0 }

func addBiasVec(rows, c int, x, bias *float32, floor float32) {}

func colSumsVec(rows, c int, x, sum *float32) {}

func colMomentsVec(rows, c int, x, shift, sum, squares *float32) {}

func bnApplyVec(rows, c int, x, mean, scale, shift, residual, y *float32, floor float32) {}

func bnReduceVec(rows, c int, dy, x, y, mean, sz, sx *float32) {}

func bnBackVec(rows, c int, dy, x, y, mean, kz, kx, k0, dx, dres *float32) {}

func poolMaxVec(n, taps int, list *[2]int, x, y *float32, index *uint8) {}

func poolAddVec(n, wins int, list *[2]int, dy *float32, index *uint8, dx *float32) {}
