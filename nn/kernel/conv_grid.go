package kernel

// blockRows is the largest number of rows in an item of a grid. Larger batches are cut, for
// balance and for the caches; pixels of smaller batches are put together.
const blockRows = 192

// cacheLen is the number of elements that is sure to stay in a core's own cache
// beside what streams past.
const cacheLen = 1 << 16

// cell is a block of rows of the output that meet the same weights: part of the
// batch at one pixel, or all of it at pixels that follow one another.
type cell struct {
	ents     []entry // of the first pixel
	from     int     // first row of the batch
	row, len int     // first row of the output, and how many there are
}

// cells cuts a batch of n at pixels with the given entries. Neighbouring pixels are put
// together if their entries differ only by step in the operand that has a batch.
func cells(ents [][]entry, n, step int) []cell {
	const tile = 12 // full register tiles on every path
	rows := ceilDiv(ceilDiv(n, ceilDiv(n, blockRows)), tile) * tile
	var list []cell
	for pixel, e := range ents {
		if last := len(list) - 1; pixel > 0 && list[last].len+n <= blockRows && follows(e, ents[pixel-1], step) {
			list[last].len += n
			continue
		}
		for from := 0; from < n; from += rows {
			list = append(list, cell{e, from, pixel*n + from, min(rows, n-from)})
		}
	}
	return list
}

func follows(next, e []entry, step int) bool {
	if len(e) == 0 || len(next) != len(e) {
		return false
	}
	for i := range e {
		if next[i] != (entry{e[i][0] + step, e[i][1]}) {
			return false
		}
	}
	return true
}

// product is the grid that Forward and BackwardInput run over: cells × column panels.
// The order of the items is the one that reads less from the caches that cores share:
// either the rows of a cell stay while all panels of the weights pass over them, or a
// panel stays while all rows pass over it.
type product[T Float] struct {
	k, cols    int // terms of an entry, columns of the output
	cells      []cell
	a          []T
	au, rs, ks int // see strip
	y          []T
	post       epilogue[T]

	work       int // rows × entries
	rows       int // of a cell, in the mean
	panelFirst bool
}

// plan chooses the order.
func (g *product[T]) plan(nr int) {
	passes, most := 0, 0
	g.work, g.rows = 0, 0
	for _, c := range g.cells {
		g.work += len(c.ents) * c.len
		g.rows += c.len
		passes += len(c.ents)
		most = max(most, len(c.ents))
	}
	g.rows = ceilDiv(g.rows, len(g.cells))
	weights := most * g.k * g.cols
	byRows, byPanels := len(g.a), weights
	if weights > cacheLen {
		byRows += passes * g.k * g.cols
	}
	if len(g.a) > cacheLen {
		byPanels += len(g.a) * ceilDiv(g.cols, nr)
	}
	g.panelFirst = byPanels <= byRows
}

func (g *product[T]) items(nr int) int { return len(g.cells) * ceilDiv(g.cols, nr) }

// run computes items lo to hi with the given weights.
func (g *product[T]) run(w *panels[T], seat, lo, hi, nr int) {
	across := ceilDiv(g.cols, nr)
	s := strip[T]{k: g.k, au: g.au, rs: g.rs, ks: g.ks, ldc: g.cols, alpha: 1}
	have := -1
	for i := lo; i < hi; i++ {
		p, n := i%across, i/across
		if g.panelFirst {
			p, n = i/len(g.cells), i%len(g.cells)
		}
		if p != have {
			s.b, s.ldb = w.panel(seat, p, nr)
			s.n, have = min(nr, g.cols-p*nr), p
		}
		c := &g.cells[n]
		at := c.row*g.cols + p*nr
		if across == 1 {
			last := &g.cells[hi-1]
			s.room = (last.row + last.len - c.row - c.len) * g.cols
		}
		s.m, s.ents, s.a, s.c = c.len, c.ents, g.a[c.from*g.rs:], g.y[at:]
		if g.post.scale != nil {
			s.post = epilogue[T]{g.post.scale[p*nr:], g.post.shift[p*nr:], nil, g.post.floor}
			if g.post.residual != nil {
				s.post.residual = g.post.residual[at:]
			}
		}
		s.compute(nr)
	}
}
