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

func scale32(alpha float32, x []float32) int { return 0 }

func lerp32(t float32, x, y []float32) int { return 0 }

func relu32(x, y []float32) int { return 0 }

func mask32(dy, y, dx []float32) int { return 0 }

func adam32(w, g, m, v []float32, k *[10]float32) int { return 0 }

func sumSquares32(x []float32) (float64, int) { return 0, 0 }

func addBias32(x, bias []float32, floor float32, c int) int { return 0 }

func colSums32(x, sum []float32, c int) int { return 0 }

func colMoments32(x, shift, sum, squares []float32, c int) int { return 0 }

func bnApply32(x, mean, scale, shift, residual, y []float32, floor float32, c int) int { return 0 }

func bnReduce32(dy, x, y, mean, sz, sx []float32, c int) int { return 0 }

func bnBack32(dy, x, y, mean, kz, kx, k0, dx, dres []float32, c int) int { return 0 }

func poolMax32(list []tapAt, x, y []float32, index []uint8) int { return 0 }

func poolRow32(list []tapAt, n, wide, pixel, step int, x, y []float32, index []uint8) int { return 0 }

func poolAdd32(list []tapAt, dy []float32, index []uint8, dx []float32) int { return 0 }
