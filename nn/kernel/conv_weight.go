package kernel

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
	if c.stem {
		c.padInput()
		parallel(s.K*outPanels, grainFor(workConv, s.K*s.InC*out*c.nr), c.backwardWeight)
	} else {
		inPanels := ceilDiv(s.InC, c.nr)
		c.packedX = grow(c.packedX, inPanels*in*c.nr)
		parallel(inPanels, grainFor(workConv/8, in*c.nr), c.packX)
		parallel(len(c.live)*inPanels*outPanels, grainFor(workConv, c.nr*out*c.nr), c.backwardWeight)
	}
	c.x, c.w, c.y = nil, nil, nil
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

// doWeight computes items lo to hi of a grid of live taps × input panels ×
// output panels.
func (c *Conv[T]) doWeight(lo, hi int) {
	s, nr := c.s, c.nr
	inPanels, outPanels := ceilDiv(s.InC, nr), ceilDiv(s.OutC, nr)
	in, out := s.H*s.W*s.N, s.OutH()*s.OutW()*s.N
	for i := lo; i < hi; i++ {
		l, pi, po := i/outPanels/inPanels, i/outPanels%inPanels, i%outPanels
		st := strip[T]{
			m: min(nr, s.InC-pi*nr), k: s.N, ents: c.grad[l],
			a: c.packedX[pi*in*nr:][:in*nr], au: nr, rs: 1, ks: nr,
			b: c.panels[po*out*nr:][:out*nr],
			c: c.w[(c.live[l]*s.InC+pi*nr)*s.OutC+po*nr:], ldc: s.OutC,
			n: min(nr, s.OutC-po*nr), alpha: 1,
		}
		st.compute(nr)
	}
}
