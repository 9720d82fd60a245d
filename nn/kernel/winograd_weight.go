package kernel

// sliceRows is the number of images that a weight gradient takes at a time, so
// that their products stay in the cache that the cores share.
const sliceRows = 64

// spreadRows is the number of images that are transformed as one item.
const spreadRows = 8

// backwardWeight computes dw: for each pair of forms the sum, over its products
// and the batch, of xᵀ·dy, both transformed and packed in panels; at the end the
// taps from the forms.
func (c *winograd[T]) backwardWeight(buf *winogradBuffers[T], x, dy, dw []T) {
	c.begin(buf, winogradCall[T]{x: x, w: dw, y: dy})
	s, size := c.s, c.s.InC*c.s.OutC
	slices := ceilDiv(s.N, sliceRows)
	step := ceilDiv(s.N, slices)
	slotRows := c.slots.count() * slotRows(step)
	buf.x, buf.dy = grow(buf.x, slotRows*s.InC), grow(buf.dy, slotRows*s.OutC)
	buf.weights = grow(buf.weights, len(c.slots.filled)*size)
	for c.from = 0; c.from < s.N; c.from += step {
		c.n = min(step, s.N-c.from)
		parallelSeats(2*ceilDiv(c.n, spreadRows), grainFor(workPack, c.products*spreadRows*s.InC), c.spreadBatch)
		items := len(c.slots.filled) * s.InC / c.nr * s.OutC / c.nr
		parallelSeats(items, grainFor(workConv, c.products/len(c.slots.filled)*c.n*c.nr*c.nr), c.correlate)
	}
	parallelSeats(size/(unit*group), grainFor(workPack, len(c.slots.filled)*unit*group), c.gatherTaps)
	c.end()
}

// doSpreadBatch transforms and packs items lo to hi: blocks of images of x and of
// dy, in turn.
func (c *winograd[T]) doSpreadBatch(seat, lo, hi int) {
	mid := c.seat(seat).mid
	rows := slotRows(c.n)
	panel := c.slots.count() * rows * c.nr
	per, next := c.nr/group, group // groups of one panel, or one group of several
	if per == 1 {
		per, next = unit, panel
	}
	for i := lo; i < hi; i++ {
		t, from, to, channels := &c.in, c.x, c.buf.x, c.s.InC
		if i%2 > 0 {
			t, from, to, channels = &c.grad, c.y, c.buf.dy, c.s.OutC
		}
		for r := i / 2 * spreadRows; r < min((i/2+1)*spreadRows, c.n); r++ {
			for j := 0; j < channels; j += per * group {
				src := blocks[T]{from[(c.from+r)*channels+j:], c.s.N * channels, group}
				dst := blocks[T]{to[j/c.nr*panel+r*c.nr:], rows * c.nr, next}
				t.apply(dst, src, min(per, (channels-j)/group), &epilogue[T]{}, mid)
			}
		}
	}
}

// slotRows is the number of rows of a slot of n images in a packed panel: an odd
// one, so that the rows of one image in all slots do not meet in a few sets of the
// first-level cache.
func slotRows(n int) int { return n | 1 }

// doCorrelate computes items lo to hi of a grid of forms × output panels × input
// panels, adding them to what came of earlier slices.
func (c *winograd[T]) doCorrelate(_, lo, hi int) {
	nr, ins, outs, rows := c.nr, c.s.InC/c.nr, c.s.OutC/c.nr, slotRows(c.n)
	panel := c.slots.count() * rows * nr
	var ents [maxTiles]entry
	s := strip[T]{m: nr, k: c.n, au: nr, rs: 1, ks: nr, ldb: nr, ldc: WeightPanel, n: nr, alpha: 1, add: c.from > 0}
	for i := lo; i < hi; i++ {
		pi, po, f := i%ins, i/ins%outs, i/ins/outs
		filled := c.slots.filled[f]
		for j := range filled.n {
			ents[j] = entry{(filled.first + j) * rows, (filled.first + j) * rows}
		}
		s.ents, s.a, s.b = ents[:filled.n], c.buf.x[pi*panel:][:panel], c.buf.dy[po*panel:][:panel]
		s.c = c.buf.weights[f*c.s.InC*c.s.OutC+c.s.WeightIndex(0, pi*nr, po*nr):]
		s.compute(nr)
	}
}

// doGatherTaps computes units lo to hi of all taps.
func (c *winograd[T]) doGatherTaps(seat, lo, hi int) {
	mid := c.seat(seat).mid
	size := c.s.InC * c.s.OutC
	for i := lo; i < hi; i++ {
		at := i * unit * group
		c.tapGrad.apply(blocks[T]{c.w[at:], size, group}, blocks[T]{c.buf.weights[at:], size, group}, unit, &epilogue[T]{}, mid)
	}
}
