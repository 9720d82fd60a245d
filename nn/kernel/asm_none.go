//go:build !amd64

package kernel

// This architecture has no assembly: every kernel takes the portable path.

func asmPaths() []*path { return nil }

func asmStrip(nr, m, k int, ents []entry, a []float32, au, rs, ks int, b, c []float32, ldc int, alpha float32, add bool) bool {
	return false
}
