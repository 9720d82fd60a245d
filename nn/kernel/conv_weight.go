package kernel

import (
	"cmp"
	"runtime"
	"slices"
)

// gradRows is the number of terms of the sum of a weight gradient that are
// taken at a time: the rows of x and dy behind them stay in the second-level
// cache while all taps and channels of a thread's share pass over them.
const gradRows = 1024

// BackwardWeight computes the gradient of the weights: for each live tap, the
// sum of xᵀ·dy over all output pixels the tap serves. Live taps of dw are
// overwritten. Dead taps (see ConvShape.LiveTaps) are not touched, so that a
// buffer that was zero there stays zero at no cost.
func (c *Conv[T]) BackwardWeight(x, dy, dw []T) {
	c.check("BackwardWeight", len(x), len(dw), len(dy))
	c.begin(x, dw, dy)
	if c.fast != nil {
		c.fast.backwardWeight(&c.winogradBuffers, x, dy, dw)
		c.release()
		return
	}
	s := c.s
	in, out, outPanels := s.H*s.W*s.N, s.OutH()*s.OutW()*s.N, ceilDiv(s.OutC, c.nr)
	items, rows := outPanels*s.K, s.K*s.InC
	if c.stem {
		c.padInput()
		c.prepareStemGrad()
	} else {
		inPanels := ceilDiv(s.InC, c.nr)
		c.packedDY = grow(c.packedDY, outPanels*out*c.nr)
		c.packedX = grow(c.packedX, inPanels*in*c.nr)
		Parallel(ceilDiv(in, packBlock)+ceilDiv(out, packBlock), grainFor(workPack, packBlock*max(s.InC, s.OutC)), c.packGrad)
		items, rows = outPanels*inPanels*len(c.live), c.nr
	}
	// Eight shares a thread: as large as balance allows, see gradRows.
	grain := max(grainFor(workConv, rows*out*c.nr), ceilDiv(items, 8*runtime.GOMAXPROCS(0)))
	Parallel(items, grain, c.gradient)
	c.release()
}

// gradStep is the number of rows of dy in a slice, a multiple of the batch.
func (c *Conv[T]) gradStep() int { return c.s.N * max(1, gradRows/c.s.N) }

// slice returns the entries whose row of dy is in [from, to). Entries are in
// ascending order of it.
func slice(ents []entry, from, to int) []entry {
	at := func(e entry, row int) int { return cmp.Compare(e[1], row) }
	lo, _ := slices.BinarySearchFunc(ents, from, at)
	hi, _ := slices.BinarySearchFunc(ents, to, at)
	return ents[lo:hi]
}

// packBlock is the number of rows of x or dy that are packed at a time.
const packBlock = 128

// doPackGrad packs blocks lo to hi of x as [panel of InC][pixel][N][nr] and of dy
// as [panel of OutC][pixel][N][nr]; the blocks of dy follow the blocks of x.
func (c *Conv[T]) doPackGrad(lo, hi int) {
	s := c.s
	in, out := s.H*s.W*s.N, s.OutH()*s.OutW()*s.N
	mid := ceilDiv(in, packBlock)
	packBlocks(c.packedX, c.nr, c.x, s.InC, in, lo, min(hi, mid))
	packBlocks(c.packedDY, c.nr, c.y, s.OutC, out, max(lo, mid)-mid, hi-mid)
}

// packBlocks packs blocks lo to hi of the rows×cols matrix src to panels.
func packBlocks[T Float](dst []T, nr int, src []T, cols, rows, lo, hi int) {
	for b := lo; b < hi; b++ {
		r := b * packBlock
		n := min(packBlock, rows-r)
		for p := range ceilDiv(cols, nr) {
			packRows(dst[(p*rows+r)*nr:][:n*nr], nr, src[r*cols:], cols, n, p*nr, min(nr, cols-p*nr))
		}
	}
}

// doWeight computes items lo to hi of a grid of output panels × input panels ×
// live taps.
func (c *Conv[T]) doWeight(lo, hi int) {
	s, nr, taps := c.s, c.nr, len(c.live)
	inPanels := ceilDiv(s.InC, nr)
	in, out := s.H*s.W*s.N, s.OutH()*s.OutW()*s.N
	st := strip[T]{k: s.N, au: nr, rs: 1, ks: nr, ldb: nr, alpha: 1}
	for from := 0; from < out; from += c.gradStep() {
		st.add = from > 0
		for i := lo; i < hi; i++ {
			l, pi, po := i%taps, i/taps%inPanels, i/taps/inPanels
			st.m, st.ents = min(nr, s.InC-pi*nr), slice(c.grad[l], from, from+c.gradStep())
			st.a, st.b = c.packedX[pi*in*nr:][:in*nr], c.packedDY[po*out*nr:][:out*nr]
			c.gradTile(&st, c.live[l], pi*nr, po)
			st.compute(nr)
		}
	}
}

// gradTile points a strip at the gradient of one tap from the given input
// channel on and of output panel po.
func (c *Conv[T]) gradTile(st *strip[T], tap, in, po int) {
	j, width := po*c.nr, c.s.panelWidth()
	st.c = c.w[c.s.WeightIndex(tap, in, j):]
	st.ldc = min(width, c.s.OutC-j/width*width)
	st.n = min(c.nr, c.s.OutC-j)
}
