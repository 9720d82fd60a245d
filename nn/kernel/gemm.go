package kernel

import "fmt"

// Block sizes of Gemm: a panel of blockK rows stays in the first-level cache
// while a block of blockM rows of A passes over it, which stays in the second.
const (
	blockK = 256
	blockM = 96
	blockN = 2048
	// workGemm is the number of multiply-adds that justifies another thread.
	workGemm = 1 << 17
	// directRows is the number of rows of A up to which B is read in place: packing would take
	// more time than it saves.
	directRows = 64
	// readAs is the number of rows of A whose arithmetic takes as long as reading B.
	readAs = 8
	// packRowsAt is the number of rows that are packed at a time, in all panels: long rows lie
	// on different memory pages.
	packRowsAt = 16
	// packAhead is the number of elements by which transposing packs ask ahead
	// within a row.
	packAhead = 16
)

// gemm holds one call of Gemm with its packing buffers.
type gemm[T Float] struct {
	transA, transB bool
	m, n, k        int
	alpha          T
	a, b, c        []T
	lda, ldb, ldc  int
	add            bool
	kept           *Kept[T] // or nil

	nr         int
	jc, nc     int  // columns of this block
	pc, kc     int  // terms of the sum of this block
	across     int  // column panels
	panelFirst bool // a panel stays in the cache while all rows pass over it
	turned     bool // see gemm_narrow.go

	wp       panels[T]    // of B
	own      []ownRows[T] // per seat
	packB    func(dst []T, l, p int)
	multiply func(seat, lo, hi int)
	turn     func(seat, lo, hi int)
}

// ownRows is the block of rows of A that one seat has packed.
type ownRows[T Float] struct {
	buf []T
	i0  int
}

func newGemm[T Float]() *gemm[T] {
	g := new(gemm[T])
	g.wp.packShared = g.wp.doPackShared
	g.packB, g.multiply, g.turn = g.doPackB, g.doMultiply, g.doTurned
	return g
}

var (
	gemms32 = freeList[gemm[float32]]{make: newGemm[float32]}
	gemms64 = freeList[gemm[float64]]{make: newGemm[float64]}
)

func gemmList[T Float]() *freeList[gemm[T]] {
	return listOf[gemm[T]](&gemms32, &gemms64)
}

// Gemm computes C = α·op(A)·op(B) + β·C on row-major matrices, where op(X) is X
// or its transpose, op(A) is m×k, op(B) is k×n and C is m×n. lda, ldb and ldc
// are the distances between consecutive rows as stored. With β = 0 the old
// contents of C are not read. The sum over k runs in the same order whatever
// GOMAXPROCS is. C must not overlap A or B. It panics if a dimension is
// negative, a stride shorter than a row, or a buffer too short.
func Gemm[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	gemmKept(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, nil)
}

// Multiply computes C = A·B for rows without gaps, with the bits of Gemm. The first call keeps B,
// which later calls must give again unchanged.
func (kept *Kept[T]) Multiply(m, n, k int, a, b, c []T) {
	if nr := panelWidth[T](); kept.nr != nr && k > 0 {
		kept.nr, kept.panels = nr, Alloc[T](ceilDiv(n, nr)*k*nr)
		for p := range ceilDiv(n, nr) {
			packRows(kept.panels[p*k*nr:][:k*nr], nr, b, n, k, p*nr, min(nr, n-p*nr))
		}
	}
	gemmKept(false, false, m, n, k, 1, a, k, b, n, 0, c, n, kept)
}

func gemmKept[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int, kept *Kept[T]) {
	checkMatrix("a", len(a), lda, m, k, transA)
	checkMatrix("b", len(b), ldb, k, n, transB)
	checkMatrix("c", len(c), ldc, m, n, false)
	if m == 0 || n == 0 {
		return
	}
	if beta != 1 && (beta != 0 || k == 0 || alpha == 0) {
		for i := range m {
			row := c[i*ldc:][:n]
			if beta == 0 {
				clear(row)
			} else {
				Scale(beta, row)
			}
		}
	}
	if k == 0 || alpha == 0 {
		return
	}
	list := gemmList[T]()
	g := list.get()
	g.transA, g.transB, g.m, g.n, g.alpha = transA, transB, m, n, alpha
	g.a, g.lda, g.b, g.ldb, g.c, g.ldc = a, lda, b, ldb, c, ldc
	g.nr = panelWidth[T]()
	g.kept, g.k = kept, k
	g.turned = g.turns()
	g.panelFirst = !g.turned && max(m, g.nr)*k <= 4*cacheLen && (!transA || m <= blockM)
	terms := blockK
	if g.panelFirst {
		terms = k
	}
	for g.jc = 0; g.jc < n; g.jc += blockN {
		g.nc = min(blockN, n-g.jc)
		g.across = ceilDiv(g.nc, g.nr)
		for g.pc = 0; g.pc < k; g.pc += terms {
			g.kc = min(terms, k-g.pc)
			g.add = beta != 0 || g.pc > 0
			g.block()
		}
	}
	g.a, g.b, g.c, g.kept = nil, nil, nil, nil
	g.wp.storage, g.wp.packTap = nil, nil
	list.put(g)
}

func checkMatrix(name string, have, ld, rows, cols int, trans bool) {
	if trans {
		rows, cols = cols, rows
	}
	if rows < 0 || cols < 0 || ld < cols {
		panic(fmt.Sprintf("kernel: Gemm: %s is %d×%d with row stride %d", name, rows, cols, ld))
	}
	if rows > 0 && cols > 0 && have < (rows-1)*ld+cols {
		panic(fmt.Sprintf("kernel: Gemm: len(%s) = %d, want at least %d", name, have, (rows-1)*ld+cols))
	}
}

// block adds one kc-term slice of the product to nc columns of C.
func (g *gemm[T]) block() {
	if g.turned {
		g.needSeats()
		parallelSeats(ceilDiv(g.m, g.nr), grainFor(workGemm, g.nr*g.kc*g.n), g.turn)
		return
	}
	switch {
	case g.kept != nil:
		g.wp.stored(g.kept.panels[(g.jc/g.nr*g.k+g.pc)*g.nr:], g.k*g.nr, g.nr)
	case !g.transB && g.m <= directRows && g.nc%g.nr == 0:
		g.wp.stored(g.b[g.pc*g.ldb+g.jc:], 0, g.ldb)
	case g.transB:
		g.wp.pack(g.nr, g.across, 1, g.kc, g.panelFirst, g.packB)
	default:
		g.wp.pack(g.nr, g.across, ceilDiv(g.kc, packRowsAt), packRowsAt, g.panelFirst, g.packB)
	}
	if g.transA {
		g.needSeats()
	}
	rows := max(min(g.m, blockM), readAs)
	parallelSeats(ceilDiv(g.m, blockM)*g.across, grainFor(workGemm, rows*g.kc*g.nr), g.multiply)
}

// needSeats makes sure of a block of rows for each seat, nothing in it yet.
func (g *gemm[T]) needSeats() {
	for len(g.own) < participants(maxParts, 1) {
		g.own = append(g.own, ownRows[T]{})
	}
	for i := range g.own {
		g.own[i].i0 = -1
	}
}

// doPackB packs group l of the rows of panel p of B, or, if B is transposed, all rows.
func (g *gemm[T]) doPackB(dst []T, l, p int) {
	j, n := g.jc+p*g.nr, min(g.nr, g.nc-p*g.nr)
	if g.transB {
		packCols(dst, g.nr, g.b[g.pc:], g.ldb, packAhead, g.kc, j, n)
		return
	}
	r := l * packRowsAt
	rows := min(packRowsAt, g.kc-r)
	packRows(dst[r*g.nr:][:rows*g.nr], g.nr, g.b[(g.pc+r)*g.ldb:], g.ldb, rows, j, n)
}

// packGroups packs rows r and following, packRowsAt of them or up to kc, of nc
// columns of src from row pc and column jc on, cut into panels of kc rows.
func packGroups[T Float](dst []T, nr int, src []T, ld, pc, r, kc, jc, nc int) {
	n := min(packRowsAt, kc-r)
	for p := range ceilDiv(nc, nr) {
		packRows(dst[(p*kc+r)*nr:][:n*nr], nr, src[(pc+r)*ld:], ld, n, jc+p*nr, min(nr, nc-p*nr))
	}
}

// packA returns rows i0 and following of the transposed A, packed in groups of nr
// rows, each group as kc×nr.
func (g *gemm[T]) packA(seat, i0, rows int) []T {
	own := &g.own[seat]
	if own.i0 == i0 {
		return own.buf
	}
	own.buf, own.i0 = grow(own.buf, ceilDiv(rows, g.nr)*g.nr*g.kc), i0
	for r := 0; r < g.kc; r += packRowsAt {
		packGroups(own.buf, g.nr, g.a, g.lda, g.pc, r, g.kc, i0, rows)
	}
	return own.buf
}

// doMultiply computes tiles lo to hi of a grid of row blocks × column panels.
func (g *gemm[T]) doMultiply(seat, lo, hi int) {
	s := strip[T]{ents: one, ldc: g.ldc, alpha: g.alpha}
	blocks, have := ceilDiv(g.m, blockM), -1
	var panel []T
	for t := lo; t < hi; t++ {
		i0, p := t/g.across*blockM, t%g.across
		if g.panelFirst {
			i0, p = t%blocks*blockM, t/blocks
		}
		if p != have {
			panel, s.ldb = g.wp.panel(seat, p, g.nr)
			s.n, have = min(g.nr, g.nc-p*g.nr), p
		}
		for pc := 0; pc < g.kc; pc += blockK {
			s.b, s.k, s.add = panel[pc*s.ldb:], min(blockK, g.kc-pc), g.add || pc > 0
			g.rows(&s, seat, i0, pc, g.jc+p*g.nr)
		}
	}
}

// rows adds the terms from pc on of the block of rows from i0 on.
func (g *gemm[T]) rows(s *strip[T], seat, i0, pc, j0 int) {
	rows := min(blockM, g.m-i0)
	if !g.transA {
		s.m, s.a, s.rs, s.ks = rows, g.a[i0*g.lda+g.pc+pc:], g.lda, 1
		s.c = g.c[i0*g.ldc+j0:]
		s.compute(g.nr)
		return
	}
	a := g.packA(seat, i0, rows)
	for i := 0; i < rows; i += g.nr {
		s.m, s.a, s.rs, s.ks = min(g.nr, rows-i), a[i*g.kc+pc*g.nr:], 1, g.nr
		s.c = g.c[(i0+i)*g.ldc+j0:]
		s.compute(g.nr)
	}
}
