package kernel

import (
	"fmt"
	"os"
	"testing"
	"time"

	"hinge/nn/kernel/internal/peak"
)

func compare(names []string, fl float64, fs ...func()) {
	best := make([]float64, len(fs))
	for i := range best {
		best[i] = 1e18
		fs[i]()
	}
	for s := time.Now(); time.Since(s) < 1500*time.Millisecond; {
		for i, f := range fs {
			t := time.Now()
			f()
			best[i] = min(best[i], float64(time.Since(t).Nanoseconds()))
		}
	}
	for i, n := range names {
		fmt.Printf("%s %.0fµs %.1f GF  ", n, best[i]/1e3, fl/best[i])
	}
	fmt.Println()
}

func TestScratchGemm(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	fmt.Println("peak", peak.GFlops(300*time.Millisecond))
	for _, s := range [][3]int{{3136, 64, 512}, {512, 512, 512}, {1024, 1024, 1024}, {256, 256, 256}, {64, 512, 512}, {64, 256, 256}} {
		m, n, k := s[0], s[1], s[2]
		rng := newRand(1)
		x, w, y := normals[float32](rng, m*(k+64)), normals[float32](rng, k*n), make([]float32, m*(n+16))
		g := func(lda, ldc int) func() {
			return func() { Gemm(false, false, m, n, k, 1, x, lda, w, n, 0, y, ldc) }
		}
		fmt.Print(s, " ")
		compare([]string{"lda", "lda+16", "lda+64", "lda ldc+16"}, 2*float64(m*n*k), g(k, n), g(k+16, n), g(k+64, n), g(k, n+16))
	}
}
