package kernel

// blockRows is the largest number of rows of one pixel that make an item of a
// grid. Larger batches are cut, for balance and for the caches.
const blockRows = 192

// cacheLen is the number of elements that is sure to stay in a core's own cache
// beside what streams past.
const cacheLen = 1 << 16

// product is the grid that Forward and BackwardInput run over: pixels × row
// blocks × column panels. The order of the items is the one that reads less from
// the caches that cores share: either the rows of a block stay while all panels
// of the weights pass over them, or a panel stays while all rows pass over it.
type product[T Float] struct {
	n, k, cols int       // batch, terms of an entry, columns of the output
	ents       [][]entry // per pixel of the output
	a          []T
	au, rs, ks int // see strip
	y          []T
	post       epilogue[T]

	pairs      int // entries in all
	rows       int // of a block
	panelFirst bool
}

// plan cuts the batch and chooses the order.
func (g *product[T]) plan(nr int) {
	const tile = 12 // full register tiles on every path
	g.rows = ceilDiv(ceilDiv(g.n, ceilDiv(g.n, blockRows)), tile) * tile
	g.pairs = 0
	most := 0
	for _, e := range g.ents {
		g.pairs += len(e)
		most = max(most, len(e))
	}
	weights := most * g.k * g.cols
	byRows, byPanels := len(g.a), weights
	if weights > cacheLen {
		byRows += g.pairs * ceilDiv(g.n, g.rows) * g.k * g.cols
	}
	if len(g.a) > cacheLen {
		byPanels += len(g.a) * ceilDiv(g.cols, nr)
	}
	g.panelFirst = byPanels <= byRows
}

func (g *product[T]) items(nr int) int {
	return len(g.ents) * ceilDiv(g.n, g.rows) * ceilDiv(g.cols, nr)
}

// run computes items lo to hi with the given weights.
func (g *product[T]) run(w *panels[T], seat, lo, hi, nr int) {
	across, blocks := ceilDiv(g.cols, nr), ceilDiv(g.n, g.rows)
	s := strip[T]{k: g.k, au: g.au, rs: g.rs, ks: g.ks, ldc: g.cols, alpha: 1}
	have := -1
	for i := lo; i < hi; i++ {
		p, cell := i%across, i/across
		if g.panelFirst {
			p, cell = i/(len(g.ents)*blocks), i%(len(g.ents)*blocks)
		}
		if p != have {
			s.b, s.ldb = w.panel(seat, p, nr)
			s.n, have = min(nr, g.cols-p*nr), p
		}
		pixel, row := cell/blocks, cell%blocks*g.rows
		at := (pixel*g.n+row)*g.cols + p*nr
		s.m, s.ents, s.a, s.c = min(g.rows, g.n-row), g.ents[pixel], g.a[row*g.rs:], g.y[at:]
		if g.post.scale != nil {
			s.post = epilogue[T]{g.post.scale[p*nr:], g.post.shift[p*nr:], nil, g.post.floor}
			if g.post.residual != nil {
				s.post.residual = g.post.residual[at:]
			}
		}
		s.compute(nr)
	}
}
