package kernel

func (c *Conv[T]) planBackwardInput() {
	c.back = make([][]entry, c.s.H*c.s.W)
	c.s.eachTap(func(out, in, tap int) {
		c.back[in] = append(c.back[in], entry{out * c.s.N, c.liveAt[tap] * c.s.OutC})
	})
}

// BackwardInput computes the gradient of the input, overwriting dx: at every
// input pixel the sum, over the output pixels it fed, of dy·wᵀ of the tap that
// fed them. Shapes are those of Forward.
func (c *Conv[T]) BackwardInput(dy, w, dx []T) {
	c.check("BackwardInput", len(dx), len(w), len(dy))
	c.x, c.w, c.y, c.nr = dx, w, dy, panelWidth[T]()
	inPanels, rows := ceilDiv(c.s.InC, c.nr), len(c.live)*c.s.OutC
	c.panels = grow(c.panels, inPanels*rows*c.nr)
	parallel(inPanels*len(c.live), grainFor(workConv/8, c.s.OutC*c.nr), c.packWT)
	c.grid = product[T]{n: c.s.N, k: c.s.OutC, cols: c.s.InC, ents: c.back, a: dy, au: c.s.OutC, rs: c.s.OutC, ks: 1, size: rows * c.nr, y: dx}
	c.multiply(rows)
	c.release()
}

// doPackTransposed packs the transposed weights, [panel of InC][live tap][OutC][nr].
func (c *Conv[T]) doPackTransposed(lo, hi int) {
	s, size := c.s, c.s.OutC*c.nr
	for i := lo; i < hi; i++ {
		p, t := i/len(c.live), c.live[i%len(c.live)]
		packCols(c.panels[i*size:][:size], c.nr, c.w[t*s.InC*s.OutC:], s.OutC, s.OutC, p*c.nr, min(c.nr, s.InC-p*c.nr))
	}
}
