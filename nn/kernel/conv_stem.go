package kernel

// The first convolution of a network has one or three input channels, so one
// tap alone is a product with an inner dimension of one or three. Here the
// input is copied once per call to [H][W + 2·Pad][InC][N] with the side padding
// filled in. Then the K·InC values that one filter row meets at one output
// pixel lie at a constant distance N from each other, in the order of the
// weights, and the convolution is a sum of only K products with an inner
// dimension of K·InC.

func (c *Conv[T]) planStem() {
	s := c.s
	oh, ow := s.OutH(), s.OutW()
	c.fwd = make([][]entry, oh*ow)
	c.grad = make([][]entry, s.K)
	for o := range oh * ow {
		for kh := range s.K {
			ih := o/ow*s.Stride - s.Pad + kh
			if ih < 0 || ih >= s.H {
				continue
			}
			from := (ih*(s.W+2*s.Pad) + o%ow*s.Stride) * s.InC * s.N
			c.fwd[o] = append(c.fwd[o], entry{from, kh * s.K * s.InC})
			c.grad[kh] = append(c.grad[kh], entry{from, o * s.N})
		}
	}
}

// padInput fills packedX from x.
func (c *Conv[T]) padInput() {
	s := c.s
	c.packedX = grow(c.packedX, s.H*(s.W+2*s.Pad)*s.InC*s.N)
	parallel(s.H, grainFor(workConv/8, s.W*s.InC*s.N), c.packX)
}

func (c *Conv[T]) doPadInput(lo, hi int) {
	s := c.s
	pixel := s.InC * s.N
	for h := lo; h < hi; h++ {
		row := c.packedX[h*(s.W+2*s.Pad)*pixel:][:(s.W+2*s.Pad)*pixel]
		clear(row[:s.Pad*pixel])
		clear(row[(s.Pad+s.W)*pixel:])
		for w := range s.W {
			transpose(row[(s.Pad+w)*pixel:][:pixel], c.x[(h*s.W+w)*pixel:][:pixel], s.N, s.InC)
		}
	}
}

// transpose writes the rows×cols matrix src to dst as cols×rows.
func transpose[T Float](dst, src []T, rows, cols int) {
	if cols == 1 {
		copy(dst, src)
		return
	}
	for j := range cols {
		d := dst[j*rows:][:rows]
		for i := range d {
			d[i] = src[i*cols+j]
		}
	}
}

// doPackStemWeights packs all taps of output panels lo to hi.
func (c *Conv[T]) doPackStemWeights(lo, hi int) {
	rows := c.s.K * c.s.K * c.s.InC
	for p := lo; p < hi; p++ {
		packRows(c.panels[p*rows*c.nr:][:rows*c.nr], c.nr, c.w, c.s.OutC, rows, p*c.nr, min(c.nr, c.s.OutC-p*c.nr))
	}
}

// doWeightStem computes items lo to hi of a grid of output panels × filter rows.
// A filter row that never meets the map is left alone, as are dead taps of
// other convolutions; dead taps inside a live row meet only zeros and get zero.
func (c *Conv[T]) doWeightStem(lo, hi int) {
	s, nr := c.s, c.nr
	out := s.OutH() * s.OutW() * s.N
	for from := 0; from < out; from += c.gradStep() {
		for i := lo; i < hi; i++ {
			kh, p := i%s.K, i/s.K
			if len(c.grad[kh]) == 0 {
				continue
			}
			st := strip[T]{
				m: s.K * s.InC, k: s.N, ents: slice(c.grad[kh], from, from+c.gradStep()),
				a: c.packedX, au: 1, rs: s.N, ks: 1,
				b: c.panels[p*out*nr:][:out*nr],
				c: c.w[kh*s.K*s.InC*s.OutC+p*nr:], ldc: s.OutC,
				n: min(nr, s.OutC-p*nr), alpha: 1, add: from > 0,
			}
			st.compute(nr)
		}
	}
}
