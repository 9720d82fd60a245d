package kernel

import "testing"

// BenchmarkStrip is the inner kernel alone, on operands that stay in cache.
func BenchmarkStrip(b *testing.B) {
	nr := panelWidth[float32]()
	for _, s := range []struct {
		name            string
		m, k, ents, lda int
		trans           bool
	}{
		{"m64/k64", 64, 64, 1, 64, false},
		{"m66/k64", 66, 64, 1, 64, false},
		{"m60/k256", 60, 256, 1, 256, false},
		{"m60/k256/ld264", 60, 256, 1, 264, false},
		{"m64/k256", 64, 256, 1, 256, false},
		{"m64/k256/ld512", 64, 256, 1, 512, false},
		{"m64/k64x9", 64, 64, 9, 64, false},
		{"m64/k128x9", 64, 128, 9, 128, false},
		{"m64/k512", 64, 512, 1, 512, false},
		{"m16/k64x3/T", 16, 64, 3, nr, true},
		{"m16/k64x16/T", 16, 64, 16, nr, true},
		{"m16/k64x49/T", 16, 64, 49, nr, true},
	} {
		b.Run(s.name, func(b *testing.B) {
			rng := newRand(1)
			st := strip[float32]{m: s.m, k: s.k, ldb: nr, ldc: 64, n: nr, alpha: 1}
			for e := range s.ents {
				st.ents = append(st.ents, entry{e * 64, e * s.k})
			}
			st.au, st.rs, st.ks = s.lda, s.lda, 1
			if s.trans {
				st.rs, st.ks = 1, s.lda
			}
			st.a = normals[float32](rng, s.ents*64*s.lda+64*s.lda)
			st.b, st.c = normals[float32](rng, s.ents*s.k*nr), make([]float32, 64*s.m)
			measure(b, 20*float64(s.m*s.k*s.ents*nr), func() {
				for range 10 {
					st.compute(nr)
				}
			})
		})
	}
}
