package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// refGemm is the definition of Gemm in float64.
func refGemm(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	for i := range m {
		for j := range n {
			var s float64
			for p := range k {
				ai, bi := i*lda+p, p*ldb+j
				if transA {
					ai = p*lda + i
				}
				if transB {
					bi = j*ldb + p
				}
				s += a[ai] * b[bi]
			}
			old := 0.0
			if beta != 0 {
				old = beta * c[i*ldc+j]
			}
			c[i*ldc+j] = alpha*s + old
		}
	}
}

type gemmCase struct {
	transA, transB bool
	m, n, k        int
	alpha, beta    float64
	padA, padB, ld int // extra columns of storage
}

func (g gemmCase) run(t *testing.T, seed uint64) {
	runGemm[float32](t, g, seed, 1e-5)
	runGemm[float64](t, g, seed, 1e-12)
}

func runGemm[T Float](t *testing.T, g gemmCase, seed uint64, tol float64) {
	t.Helper()
	rng := newRand(seed)
	ra, ca, rb, cb := g.m, g.k, g.k, g.n
	if g.transA {
		ra, ca = ca, ra
	}
	if g.transB {
		rb, cb = cb, rb
	}
	lda, ldb, ldc := ca+g.padA, cb+g.padB, g.n+g.ld
	a, b := guardCopy(normals[T](rng, max(0, (ra-1)*lda+ca))), guardCopy(normals[T](rng, max(0, (rb-1)*ldb+cb)))
	c := guardCopy(normals[T](rng, max(0, (g.m-1)*ldc+g.n)))
	if g.beta == 0 { // the old contents must not be read
		for i := range g.m * g.n {
			c.buf[i/g.n*ldc+i%g.n] = T(math.NaN())
		}
	}
	a64, b64, c64 := to64(a.buf), to64(b.buf), to64(c.buf)
	refGemm(g.transA, g.transB, g.m, g.n, g.k, g.alpha, a64, lda, b64, ldb, g.beta, c64, ldc)
	Gemm(g.transA, g.transB, g.m, g.n, g.k, T(g.alpha), a.buf, lda, b.buf, ldb, T(g.beta), c.buf, ldc)
	name := label("%T %+v", a.buf, g)
	near(t, name, c.buf, c64, tol)
	a.intact(t, name)
	b.intact(t, name)
	c.intact(t, name)
}

func TestGemmAgainstDefinition(t *testing.T) {
	cases := []gemmCase{
		{m: 1, n: 1, k: 1, alpha: 1},
		{m: 64, n: 64, k: 64, alpha: 1},
		{m: 6, n: 16, k: 300, alpha: 1},
		{m: 97, n: 17, k: 257, alpha: 1, beta: 1},
		{m: 100, n: 10, k: 513, alpha: -0.5, beta: 0.25},
		{m: 3, n: 2050, k: 2, alpha: 1, beta: 1},
		{m: 64, n: 10, k: 64, alpha: 1},
		{m: 131, n: 12, k: 300, alpha: 2, beta: -1},
		{m: 130, n: 24, k: 300, alpha: 1},
		{m: 5, n: 7, k: 0, alpha: 1, beta: 2},
		{m: 5, n: 7, k: 3, alpha: 0, beta: 0},
		{m: 0, n: 7, k: 3, alpha: 1},
	}
	eachPath(t, func(t *testing.T) {
		for i, g := range cases {
			for trans := range 4 {
				g.transA, g.transB = trans&1 != 0, trans&2 != 0
				g.run(t, uint64(i))
			}
		}
	})
}

func randomGemm(rng *rand.Rand) gemmCase {
	size := func(top int) int { return 1 + rng.IntN(1+rng.IntN(top)) }
	scalar := []float64{0, 1, 1, -1, 0.5}
	return gemmCase{
		transA: rng.IntN(2) == 0, transB: rng.IntN(2) == 0,
		m: size(130), n: size(80), k: size(300),
		alpha: scalar[rng.IntN(len(scalar))], beta: scalar[rng.IntN(len(scalar))],
		padA: rng.IntN(3), padB: rng.IntN(3), ld: rng.IntN(3),
	}
}

func TestGemmRandomShapes(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(1)
		for i := range 150 {
			randomGemm(rng).run(t, uint64(i))
		}
	})
}

func TestGemmDoesNotDependOnThreads(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(3)
		const m, n, k = 301, 203, 517
		a, b := normals[float32](rng, m*k), normals[float32](rng, k*n)
		sameOnThreads(t, "c", func() []float32 {
			c := make([]float32, m*n)
			Gemm(true, false, m, n, k, 1, a, m, b, n, 0, c, n)
			return c
		})
	})
}

func TestGemmPanicsOnBadArguments(t *testing.T) {
	x := make([]float32, 12)
	mustPanic(t, "short a", func() { Gemm(false, false, 4, 2, 4, 1, x, 4, x, 2, 0, make([]float32, 8), 2) })
	mustPanic(t, "stride", func() { Gemm(false, false, 3, 4, 4, 1, x, 3, x, 4, 0, x, 4) })
	mustPanic(t, "negative", func() { Gemm(false, false, -1, 4, 4, 1, x, 4, x, 4, 0, x, 4) })
	mustPanic(t, "short c", func() { Gemm(false, false, 3, 4, 3, 1, x, 3, x, 4, 0, x[:11], 4) })
}
