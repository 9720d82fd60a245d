package kernel

// The first convolution of a network has one or three input channels, so one
// tap alone is a product with an inner dimension of one or three. Here the
// input is copied once per call to [H][W + 2·Pad][InC][N] with the side padding
// filled in. Then the K·InC values that one filter row meets at one output
// pixel lie at a constant distance N from each other, in the order of the
// weights, and the convolution is a sum of only K products with an inner
// dimension of K·InC.

// stemChannels is the largest number of input channels at which one tap is too little work for
// a separate matrix product.
const stemChannels = 4

func (s ConvShape) isStem() bool { return s.InC <= stemChannels && s.K > 1 }

func (c *Conv[T]) planStem() {
	s := c.s
	oh, ow := s.OutH(), s.OutW()
	fwd := make([][]entry, oh*ow)
	c.grad = make([][]entry, s.K)
	for o := range oh * ow {
		for kh := range s.K {
			ih := o/ow*s.Stride - s.Pad + kh
			if ih < 0 || ih >= s.H {
				continue
			}
			from := (ih*(s.W+2*s.Pad) + o%ow*s.Stride) * s.InC * s.N
			fwd[o] = append(fwd[o], entry{from, kh * s.K * s.InC})
			c.grad[kh] = append(c.grad[kh], entry{from, o * s.N})
		}
	}
	if c.rs = 1; s.N == 1 {
		c.rs = s.Stride * s.InC
	}
	c.fwd = cells(fwd, s.N, s.N*c.rs)
}

// padInput fills packedX from x.
func (c *Conv[T]) padInput() {
	s := c.s
	c.packedX = grow(c.packedX, s.H*(s.W+2*s.Pad)*s.InC*s.N)
	Parallel(s.H, grainFor(workPack, s.W*s.InC*s.N), c.padX)
}

func (c *Conv[T]) doPadInput(lo, hi int) {
	s := c.s
	pixel := s.InC * s.N
	for h := lo; h < hi; h++ {
		row := c.packedX[h*(s.W+2*s.Pad)*pixel:][:(s.W+2*s.Pad)*pixel]
		clear(row[:s.Pad*pixel])
		clear(row[(s.Pad+s.W)*pixel:])
		if s.N == 1 || s.InC == 1 {
			copy(row[s.Pad*pixel:], c.x[h*s.W*pixel:][:s.W*pixel])
			continue
		}
		for w := range s.W {
			Transpose(row[(s.Pad+w)*pixel:][:pixel], c.x[(h*s.W+w)*pixel:][:pixel], s.N, s.InC)
		}
	}
}

// stemColumns is the largest number of output channels at which the weight gradient reads dy
// in place; rows further apart than this compete for too few places in the first-level cache.
const stemColumns = 64

func (c *Conv[T]) readsGrad() bool { return c.s.OutC <= stemColumns && c.s.OutC%c.nr == 0 }

// prepareStemGrad packs dy if need be.
func (c *Conv[T]) prepareStemGrad() {
	if c.readsGrad() {
		return
	}
	out := c.s.OutH() * c.s.OutW() * c.s.N
	c.packedDY = grow(c.packedDY, ceilDiv(c.s.OutC, c.nr)*out*c.nr)
	Parallel(ceilDiv(out, packBlock), grainFor(workPack, packBlock*c.s.OutC), c.packGrad)
}

// doPackStemGrad packs blocks lo to hi of dy as [panel of OutC][pixel][N][nr].
func (c *Conv[T]) doPackStemGrad(lo, hi int) {
	packBlocks(c.packedDY, c.nr, c.y, c.s.OutC, c.s.OutH()*c.s.OutW()*c.s.N, lo, hi)
}

// doWeightStem computes items lo to hi of a grid of output panels × filter rows.
// A filter row that never meets the map is left alone, as are dead taps of
// other convolutions; dead taps inside a live row meet only zeros and get zero.
func (c *Conv[T]) doWeightStem(lo, hi int) {
	s, nr := c.s, c.nr
	out := s.OutH() * s.OutW() * s.N
	st := strip[T]{m: s.K * s.InC, k: s.N, a: c.packedX, au: 1, rs: s.N, ks: 1, ldb: nr, alpha: 1}
	if c.readsGrad() {
		st.ldb = s.OutC
	}
	for from := 0; from < out; from += c.gradStep() {
		st.add = from > 0
		for i := lo; i < hi; i++ {
			kh, p := i%s.K, i/s.K
			if len(c.grad[kh]) == 0 {
				continue
			}
			st.ents = slice(c.grad[kh], from, from+c.gradStep())
			if c.readsGrad() {
				st.b = c.y[p*nr:]
			} else {
				st.b = c.packedDY[p*out*nr:][:out*nr]
			}
			c.gradTile(&st, kh*s.K, 0, p)
			st.compute(nr)
		}
	}
}
