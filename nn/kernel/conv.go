package kernel

// workConv is the number of multiply-adds that justifies another thread.
const workConv = 1 << 19

// Conv computes one convolution and its gradients. It owns the packed weights
// and the index lists of its shape, so after the first call of each method no
// call allocates. A Conv must not be used by two goroutines at once; each call
// uses up to GOMAXPROCS threads itself, and its results do not depend on how
// many.
type Conv[T Float] struct {
	shape  ConvShape
	s      ConvShape // what is computed: a 1×1 filter sees one long pixel
	stem   bool
	live   []int // live taps
	liveAt []int // position of a tap in live, or -1

	nr   int // panel width of the running call
	x, w []T // operands of the running call
	y    []T

	fwd  [][]entry // per output pixel: input pixel, row in the packed weights
	back [][]entry // per input pixel: output pixel, row in the packed weights
	grad [][]entry // per live tap (stem: per filter row): input, output pixel

	panels         []T // packed weights, or packed dy
	packedX        []T // packed or transposed input
	packW, packWT  func(lo, hi int)
	packX, packDY  func(lo, hi int)
	forward        func(lo, hi int)
	backwardInput  func(lo, hi int)
	backwardWeight func(lo, hi int)
}

// stemChannels is the largest number of input channels at which one tap is too
// little work for a product of its own: see conv_stem.go.
const stemChannels = 4

// NewConv prepares a convolution. It panics if the shape is not valid; call
// Validate first on shapes from outside.
func NewConv[T Float](s ConvShape) *Conv[T] {
	if err := s.Validate(); err != nil {
		panic(err)
	}
	c := &Conv[T]{shape: s, s: s}
	if s.K == 1 && s.Stride == 1 && s.Pad == 0 {
		// Every pixel meets the same weights: one product with H·W·N rows.
		c.s.N, c.s.H, c.s.W = s.N*s.H*s.W, 1, 1
	}
	c.stem = s.InC <= stemChannels && s.K > 1
	c.live = s.LiveTaps()
	c.liveAt = make([]int, s.K*s.K)
	for i := range c.liveAt {
		c.liveAt[i] = -1
	}
	for i, t := range c.live {
		c.liveAt[t] = i
	}
	if c.stem {
		c.planStem()
		c.packW, c.packX = c.doPackStemWeights, c.doPadInput
		c.forward, c.backwardWeight = c.doForwardStem, c.doWeightStem
	} else {
		c.planForward()
		c.packW, c.packX = c.doPackWeights, c.doPackInput
		c.forward, c.backwardWeight = c.doForward, c.doWeight
	}
	c.planBackwardInput()
	c.packWT, c.packDY, c.backwardInput = c.doPackTransposed, c.doPackOutputGrad, c.doBackwardInput
	return c
}

// Shape returns the shape the convolution was made for.
func (c *Conv[T]) Shape() ConvShape { return c.shape }

// eachTap calls f for every pair of an output pixel and a tap that meets the
// map, in ascending order of output pixel, then tap.
func (s ConvShape) eachTap(f func(out, in, tap int)) {
	oh, ow := s.OutH(), s.OutW()
	for o := range oh * ow {
		for t := range s.K * s.K {
			ih := o/ow*s.Stride - s.Pad + t/s.K
			iw := o%ow*s.Stride - s.Pad + t%s.K
			if ih >= 0 && ih < s.H && iw >= 0 && iw < s.W {
				f(o, ih*s.W+iw, t)
			}
		}
	}
}

func (c *Conv[T]) planForward() {
	c.fwd = make([][]entry, c.s.OutH()*c.s.OutW())
	c.grad = make([][]entry, len(c.live))
	c.s.eachTap(func(out, in, tap int) {
		l := c.liveAt[tap]
		c.fwd[out] = append(c.fwd[out], entry{in * c.s.N, l * c.s.InC})
		c.grad[l] = append(c.grad[l], entry{in * c.s.N, out * c.s.N})
	})
}

// Forward computes y = conv(x, w): x is [H][W][N][InC], w is [K·K][InC][OutC]
// and y, which is overwritten, [OutH][OutW][N][OutC].
func (c *Conv[T]) Forward(x, w, y []T) {
	c.check("Forward", len(x), len(w), len(y))
	c.x, c.w, c.y, c.nr = x, w, y, panelWidth[T]()
	rows := len(c.live) * c.s.InC
	if c.stem {
		c.padInput()
		rows = c.s.K * c.s.K * c.s.InC
	}
	outPanels := ceilDiv(c.s.OutC, c.nr)
	c.panels = grow(c.panels, outPanels*rows*c.nr)
	parallel(outPanels, grainFor(workConv/8, rows*c.nr), c.packW)
	pixels := c.s.OutH() * c.s.OutW()
	parallel(pixels*outPanels, grainFor(workConv, c.s.N*rows*c.nr), c.forward)
	c.x, c.w, c.y = nil, nil, nil
}

func (c *Conv[T]) check(op string, x, w, y int) {
	need(op, "x", x, c.s.InLen())
	need(op, "w", w, c.s.WeightLen())
	need(op, "y", y, c.s.OutLen())
}

// doPackWeights packs the live taps of output panels lo to hi, one below the
// other: [panel][live tap][InC][nr].
func (c *Conv[T]) doPackWeights(lo, hi int) {
	s, size := c.s, c.s.InC*c.nr
	for p := lo; p < hi; p++ {
		n := min(c.nr, s.OutC-p*c.nr)
		for l, t := range c.live {
			packRows(c.panels[(p*len(c.live)+l)*size:][:size], c.nr, c.w[t*s.InC*s.OutC:], s.OutC, s.InC, p*c.nr, n)
		}
	}
}

// doForward computes items lo to hi of a grid of output pixels × panels.
func (c *Conv[T]) doForward(lo, hi int) {
	s, panels := c.s, ceilDiv(c.s.OutC, c.nr)
	size := len(c.live) * s.InC * c.nr
	for i := lo; i < hi; i++ {
		o, p := i/panels, i%panels
		st := strip[T]{
			m: s.N, k: s.InC, ents: c.fwd[o],
			a: c.x, au: s.InC, rs: s.InC, ks: 1,
			b: c.panels[p*size:][:size],
			c: c.y[o*s.N*s.OutC+p*c.nr:], ldc: s.OutC,
			n: min(c.nr, s.OutC-p*c.nr), alpha: 1,
		}
		st.compute(c.nr)
	}
}
