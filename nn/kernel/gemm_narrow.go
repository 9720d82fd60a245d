package kernel

// A product with fewer columns than a panel would compute columns that do not exist; with ten
// of sixteen columns more than a third of the arithmetic is unused. It is then transposed,
//
//	Cᵀ = op(B)ᵀ·op(A)ᵀ
//
// so that the short side is the one that register tiles cut to any height, and the long side
// fills the panels. Each panel of nr rows of C is computed into scratch and transposed from
// there.

// turnColumns is the largest number of columns of a product that is turned round.
const turnColumns = 24

// turns reports whether the product is better turned round: whether that saves a
// quarter of the arithmetic, which transposing costs, or half of it where A has
// to be transposed on its way into panels, too.
func (g *gemm[T]) turns() bool {
	if g.kept != nil && g.n <= pathOf[T]().half {
		return false // the panel is there already, and half of it has all columns
	}
	left := ceilDiv(g.m, g.nr) * g.n // of m
	return g.n <= turnColumns && (g.transA && 4*left <= 3*g.m || 2*left <= g.m)
}

// doTurned computes panels lo to hi of nr rows of C.
func (g *gemm[T]) doTurned(seat, lo, hi int) {
	nr := g.nr
	own := &g.own[seat]
	own.buf = grow(own.buf, (g.kc+2*nr)*nr)
	panel, sums, tile := own.buf[:g.kc*nr], own.buf[g.kc*nr:][:nr*nr], own.buf[(g.kc+nr)*nr:]
	clear(sums)
	s := strip[T]{m: g.n, k: g.kc, ents: one, c: sums, ldc: nr, n: nr, alpha: g.alpha}
	if g.transB {
		s.a, s.rs, s.ks = g.b[g.pc:], g.ldb, 1
	} else {
		s.a, s.rs, s.ks = g.b[g.pc*g.ldb:], 1, g.ldb
	}
	for i := lo * nr; i < min(hi*nr, g.m); i += nr {
		rows := min(nr, g.m-i)
		s.b, s.ldb = panel, nr
		switch {
		case !g.transA:
			packCols(panel, nr, g.a[g.pc:], g.lda, packAhead, g.kc, i, rows)
		case rows < nr:
			packRows(panel, nr, g.a[g.pc*g.lda:], g.lda, g.kc, i, rows)
		default:
			s.b, s.ldb = g.a[g.pc*g.lda+i:], g.lda
		}
		s.compute(nr)
		packCols(tile, nr, sums, nr, 0, nr, 0, nr)
		c := g.c[i*g.ldc:]
		if !g.add {
			moveRows(c, g.ldc, tile, nr, rows, g.n)
			continue
		}
		for r := range rows {
			for j, v := range tile[r*nr:][:g.n] {
				c[r*g.ldc+j] += v
			}
		}
	}
}
