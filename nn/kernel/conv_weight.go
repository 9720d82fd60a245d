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
	c.x, c.w, c.y, c.nr = x, dw, dy, panelWidth[T]()
	s := c.s
	in, out, outPanels := s.H*s.W*s.N, s.OutH()*s.OutW()*s.N, ceilDiv(s.OutC, c.nr)
	c.panels = grow(c.panels, outPanels*out*c.nr)
	parallel(outPanels, grainFor(workConv/8, out*c.nr), c.packDY)
	items, rows := outPanels*s.K, s.K*s.InC
	if c.stem {
		c.padInput()
	} else {
		inPanels := ceilDiv(s.InC, c.nr)
		c.packedX = grow(c.packedX, inPanels*in*c.nr)
		parallel(inPanels, grainFor(workConv/8, in*c.nr), c.packX)
		items, rows = outPanels*inPanels*len(c.live), c.nr
	}
	// Four shares a thread: as large as balance allows, see gradRows.
	grain := max(grainFor(workConv, rows*out*c.nr), ceilDiv(items, 4*runtime.GOMAXPROCS(0)))
	parallel(items, grain, c.backwardWeight)
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

// doPackOutputGrad packs dy as [panel of OutC][pixel][N][nr].
func (c *Conv[T]) doPackOutputGrad(lo, hi int) {
	rows := c.s.OutH() * c.s.OutW() * c.s.N
	for p := lo; p < hi; p++ {
		packRows(c.panels[p*rows*c.nr:][:rows*c.nr], c.nr, c.y, c.s.OutC, rows, p*c.nr, min(c.nr, c.s.OutC-p*c.nr))
	}
}

// doPackInput packs x as [panel of InC][pixel][N][nr].
func (c *Conv[T]) doPackInput(lo, hi int) {
	rows := c.s.H * c.s.W * c.s.N
	for p := lo; p < hi; p++ {
		packRows(c.packedX[p*rows*c.nr:][:rows*c.nr], c.nr, c.x, c.s.InC, rows, p*c.nr, min(c.nr, c.s.InC-p*c.nr))
	}
}

// doWeight computes items lo to hi of a grid of output panels × input panels ×
// live taps.
func (c *Conv[T]) doWeight(lo, hi int) {
	s, nr, taps := c.s, c.nr, len(c.live)
	inPanels := ceilDiv(s.InC, nr)
	in, out := s.H*s.W*s.N, s.OutH()*s.OutW()*s.N
	for from := 0; from < out; from += c.gradStep() {
		for i := lo; i < hi; i++ {
			l, pi, po := i%taps, i/taps%inPanels, i/taps/inPanels
			st := strip[T]{
				m: min(nr, s.InC-pi*nr), k: s.N, ents: slice(c.grad[l], from, from+c.gradStep()),
				a: c.packedX[pi*in*nr:][:in*nr], au: nr, rs: 1, ks: nr,
				b: c.panels[po*out*nr:][:out*nr],
				c: c.w[(c.live[l]*s.InC+pi*nr)*s.OutC+po*nr:], ldc: s.OutC,
				n: min(nr, s.OutC-po*nr), alpha: 1, add: from > 0,
			}
			st.compute(nr)
		}
	}
}
