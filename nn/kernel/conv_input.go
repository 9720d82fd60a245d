package kernel

func (c *Conv[T]) planBackwardInput() {
	back := make([][]entry, c.s.H*c.s.W)
	c.s.eachTap(func(out, in, tap int) {
		back[in] = append(back[in], entry{out * c.s.N, c.liveAt[tap] * c.s.OutC})
	})
	c.back = cells(back, c.s.N, c.s.N)
}

// BackwardInput computes the gradient of the input and overwrites dx with it: at every input
// pixel the sum of dy·wᵀ over the output pixels and taps that used the input pixel. Shapes are
// the same as in Forward.
func (c *Conv[T]) BackwardInput(dy, w, dx []T) {
	c.backwardInput("BackwardInput", dy, w, dx, epilogue[T]{})
}

// BackwardInputAdd is BackwardInput with other, of the shape of dx, added to the
// result: the gradient that reaches the input by a second way. dx must not be
// other.
func (c *Conv[T]) BackwardInputAdd(dy, w, other, dx []T) {
	const op = "BackwardInputAdd"
	need(op, "other", len(other), c.s.InLen())
	if c.ones == nil {
		c.ones, c.zeros = make([]T, c.s.InC), make([]T, c.s.InC)
		for i := range c.ones {
			c.ones[i] = 1
		}
	}
	c.backwardInput(op, dy, w, dx, epilogue[T]{c.ones, c.zeros, other, floorOf[T](false)})
}

func (c *Conv[T]) backwardInput(op string, dy, w, dx []T, post epilogue[T]) {
	c.check(op, len(dx), len(w), len(dy))
	c.begin(dx, w, dy)
	if c.fast != nil {
		c.fast.backwardInput(&c.winogradBuffers, dy, w, dx, post)
		c.release()
		return
	}
	c.grid = product[T]{k: c.s.OutC, cols: c.s.InC, cells: c.back, a: dy, au: c.s.OutC, rs: c.s.OutC, ks: 1, y: dx, post: post}
	c.grid.plan(c.nr)
	c.wp.pack(c.nr, ceilDiv(c.s.InC, c.nr), len(c.live), c.s.OutC, c.grid.panelFirst, c.packBackward)
	c.multiply(len(c.live) * c.s.OutC)
}

// packTransposed packs one live tap of panel p of the transposed weights: rows
// are output channels, columns input channels.
func (c *Conv[T]) packTransposed(dst []T, l, p int) {
	s, nr, width := c.s, c.nr, c.s.panelWidth()
	for o := 0; o < s.OutC; o += width {
		n := min(width, s.OutC-o)
		src := c.w[s.WeightIndex(c.live[l], p*nr, o):]
		packCols(dst[(l*s.OutC+o)*nr:][:n*nr], nr, src, n, s.InC*width, n, 0, min(nr, s.InC-p*nr))
	}
}
