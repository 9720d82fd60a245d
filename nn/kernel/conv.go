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
	grid product[T]

	fwd  [][]entry // per output pixel: input pixel, row in the packed weights
	back [][]entry // per input pixel: output pixel, row in the packed weights
	grad [][]entry // per live tap (stem: per filter row): input, output pixel

	panels         []T // packed weights, or packed dy
	packedX        []T // packed or transposed input
	packW, packWT  func(lo, hi int)
	packX, packDY  func(lo, hi int)
	runGrid        func(lo, hi int)
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
		c.backwardWeight = c.doWeightStem
	} else {
		c.planForward()
		c.packW, c.packX = c.doPackWeights, c.doPackInput
		c.backwardWeight = c.doWeight
	}
	c.planBackwardInput()
	c.packWT, c.packDY, c.runGrid = c.doPackTransposed, c.doPackOutputGrad, c.doGrid
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
	c.grid = product[T]{n: c.s.N, k: c.s.InC, cols: c.s.OutC, ents: c.fwd, a: x, au: c.s.InC, rs: c.s.InC, ks: 1, size: rows * c.nr, y: y}
	if c.stem {
		c.grid.k, c.grid.a, c.grid.au, c.grid.rs, c.grid.ks = c.s.K*c.s.InC, c.packedX, 1, 1, c.s.N
	}
	c.multiply(rows)
	c.release()
}

func (c *Conv[T]) check(op string, x, w, y int) {
	need(op, "x", x, c.s.InLen())
	need(op, "w", w, c.s.WeightLen())
	need(op, "y", y, c.s.OutLen())
}

// multiply runs the grid; rows is the length of the longest sum.
func (c *Conv[T]) multiply(rows int) {
	parallel(c.grid.items(c.nr), grainFor(workConv, min(blockRows, c.s.N)*rows*c.nr), c.runGrid)
}

func (c *Conv[T]) doGrid(lo, hi int) { c.grid.run(lo, hi, c.nr, c.panels) }

// release drops the operands of the finished call.
func (c *Conv[T]) release() {
	c.x, c.w, c.y = nil, nil, nil
	c.grid = product[T]{}
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

// blockRows is the number of rows of one pixel that make an item of the grids
// below. Larger batches are cut, for balance and for the caches.
const blockRows = 192

// product is the grid that Forward and BackwardInput run over: pixels × row
// blocks × column panels, the panels fastest, so that the rows of the input
// stay in the cache while all panels of the weights pass over them.
type product[T Float] struct {
	n, k, cols int       // batch, terms of an entry, columns of the output
	ents       [][]entry // per pixel of the output
	a          []T
	au, rs, ks int // see strip
	size       int // length of a packed panel
	y          []T
}

func (g *product[T]) items(nr int) int {
	return len(g.ents) * ceilDiv(g.n, blockRows) * ceilDiv(g.cols, nr)
}

// run computes items lo to hi with the given packed weights.
func (g *product[T]) run(lo, hi, nr int, panels []T) {
	across, blocks := ceilDiv(g.cols, nr), ceilDiv(g.n, blockRows)
	for i := lo; i < hi; i++ {
		p, row, pixel := i%across, i/across%blocks*blockRows, i/across/blocks
		s := strip[T]{
			m: min(blockRows, g.n-row), k: g.k, ents: g.ents[pixel],
			a: g.a[row*g.rs:], au: g.au, rs: g.rs, ks: g.ks,
			b: panels[p*g.size:][:g.size],
			c: g.y[(pixel*g.n+row)*g.cols+p*nr:], ldc: g.cols,
			n: min(nr, g.cols-p*nr), alpha: 1,
		}
		s.compute(nr)
	}
}
