package kernel

// workConv is the number of multiply-adds that justifies another thread.
const workConv = 1 << 18

// Conv computes one convolution and its gradients. It owns the index lists of its
// shape and borrows the buffers for packed operands, which all convolutions
// share, so after the first calls no call allocates. A Conv must not be used by
// two goroutines at once; each call uses up to GOMAXPROCS threads itself, and its
// results do not depend on how many.
type Conv[T Float] struct {
	s      ConvShape // the shape computed: a 1×1 filter sees one long pixel
	stem   bool
	fast   *winograd[T] // the way with fewer products; the plain way below is only planned without
	live   []int        // live taps
	liveAt []int        // position of a tap in live, or -1

	nr          int // panel width of the running call
	x, w        []T // operands of the running call
	y           []T
	grid        product[T]
	*packing[T] // of the running call

	direct []cell    // of the output: input pixel, row of the stored weights
	fwd    []cell    // of the output: input pixel, row of the packed weights
	back   []cell    // of the input: output pixel, row of the packed weights
	rs     int       // between rows of a cell of the output in the input
	grad   [][]entry // per live tap (stem: per filter row): input, output pixel

	span   int      // neighbouring taps that lie one after the other in the input and in packed weights
	padded bool     // Forward reads packedX
	kept   *Kept[T] // or nil: see Keep

	ones, zeros []T // factors and summands of an epilogue that only adds
	tasks[T]
}

// tasks are the bodies of the parallel sections and their helpers, bound once.
type tasks[T Float] struct {
	padX, packGrad, gradient  func(lo, hi int)
	runGrid                   func(seat, lo, hi int)
	packForward, packBackward func(dst []T, l, p int)
}

// NewConv prepares a convolution. It panics if the shape is not valid; call
// Validate first on shapes from outside.
func NewConv[T Float](s ConvShape) *Conv[T] {
	if err := s.Validate(); err != nil {
		panic(err)
	}
	return newConv(s, planWinograd[T](s))
}

// newConv prepares a convolution to be computed by fast, or plainly if it is nil.
func newConv[T Float](s ConvShape, fast *winograd[T]) *Conv[T] {
	c := &Conv[T]{s: s, fast: fast}
	if fast != nil {
		return c
	}
	if s.K == 1 && s.Stride == 1 && s.Pad == 0 {
		// Every pixel meets the same weights: one product with H·W·N rows.
		c.s.N, c.s.H, c.s.W = s.N*s.H*s.W, 1, 1
	}
	c.stem = s.isStem()
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
		c.packGrad, c.gradient = c.doPackStemGrad, c.doWeightStem
	} else {
		c.planForward()
		c.packGrad, c.gradient = c.doPackGrad, c.doWeight
	}
	c.planBackwardInput()
	c.padX = c.doPadInput
	c.runGrid, c.packForward, c.packBackward = c.doGrid, c.packWeights, c.packTransposed
	return c
}

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

// eachPadded is eachTap for the map with its sides filled in, H×(W + 2·Pad) pixels.
func (s ConvShape) eachPadded(f func(out, in, tap int)) {
	oh, ow := s.OutH(), s.OutW()
	for o := range oh * ow {
		for t := range s.K * s.K {
			if ih := o/ow*s.Stride - s.Pad + t/s.K; ih >= 0 && ih < s.H {
				f(o, ih*(s.W+2*s.Pad)+o%ow*s.Stride+t%s.K, t)
			}
		}
	}
}

func (c *Conv[T]) planForward() {
	fwd := make([][]entry, c.s.OutH()*c.s.OutW())
	direct := make([][]entry, len(fwd))
	c.grad = make([][]entry, len(c.live))
	c.span = 1
	switch {
	case c.s.N > 1 || c.s.Pad > 0:
	case c.s.W == c.s.K:
		c.span = c.s.K * c.s.K
	default:
		c.span = c.s.K
	}
	meets := func(out, in, tap int) {
		if tap%c.span == 0 {
			fwd[out] = append(fwd[out], entry{in * c.s.N, c.liveAt[tap] * c.s.InC})
		}
		direct[out] = append(direct[out], entry{in * c.s.N, tap * c.s.InC * c.s.OutC / c.s.panelWidth()})
	}
	// With the sides of one image's map filled in, all pixels of a row meet the same taps.
	if c.padded = c.s.N == 1 && c.s.Pad > 0 && c.s.OutW() > 1; c.padded {
		c.s.eachPadded(func(out, in, tap int) {
			if c.liveAt[tap] >= 0 {
				meets(out, in, tap)
			}
		})
	}
	c.s.eachTap(func(out, in, tap int) {
		l := c.liveAt[tap]
		if !c.padded {
			meets(out, in, tap)
		}
		c.grad[l] = append(c.grad[l], entry{in * c.s.N, out * c.s.N})
	})
	step := c.s.N
	if c.rs = c.s.InC; c.s.N == 1 {
		step, c.rs = c.s.Stride, c.s.Stride*c.s.InC
	}
	c.fwd, c.direct = cells(fwd, c.s.N, step), cells(direct, c.s.N, step)
}

// Forward computes y = conv(x, w): x is [H][W][N][InC], w is stored as
// WeightIndex tells, and y, which is overwritten, is [OutH][OutW][N][OutC].
func (c *Conv[T]) Forward(x, w, y []T) { c.forward("Forward", x, w, y, epilogue[T]{}) }

// ForwardFolded computes y = act(conv(x, w)·scale + shift + residual) in one
// pass, with one scale and shift per channel: a convolution with the batch
// normalisation behind it, statistics frozen, see FoldBatchNorm. act is the
// positive part if relu is set; residual has the shape of y or is nil; y must
// not be residual.
func (c *Conv[T]) ForwardFolded(x, w, scale, shift, residual, y []T, relu bool) {
	const op = "ForwardFolded"
	need(op, "scale", len(scale), c.s.OutC)
	need(op, "shift", len(shift), c.s.OutC)
	needOptional(op, "residual", residual, c.s.OutLen())
	c.forward(op, x, w, y, epilogue[T]{scale, shift, residual, floorOf[T](relu)})
}

func (c *Conv[T]) forward(op string, x, w, y []T, post epilogue[T]) {
	c.check(op, len(x), len(w), len(y))
	c.begin(x, w, y)
	if c.fast != nil {
		c.fast.forward(&c.winogradBuffers, x, w, y, post)
		c.release()
		return
	}
	c.grid = product[T]{k: c.s.InC * c.span, cols: c.s.OutC, cells: c.fwd, a: x, au: c.s.InC, rs: c.rs, ks: 1, y: y, post: post}
	taps, rows := len(c.live), c.s.InC // of a tap in packed weights
	switch {
	case c.padded:
		c.padInput()
		c.grid.a = c.packedX
	case c.stem:
		c.padInput()
		c.grid.k, c.grid.a, c.grid.au, c.grid.ks = c.s.K*c.s.InC, c.packedX, 1, c.s.N
		taps, rows = 1, c.s.K*c.s.K*c.s.InC // the taps lie one after the other
	}
	c.grid.plan(c.nr)
	switch across := ceilDiv(c.s.OutC, c.nr); {
	case c.readDirectly():
		c.grid.k, c.grid.cells = c.s.InC, c.direct
		c.wp.stored(w, c.s.InC*c.s.panelWidth(), c.s.panelWidth())
	case c.kept != nil:
		c.wp.packOnce(c.kept, c.nr, across, taps, rows, c.packForward)
	default:
		c.wp.pack(c.nr, across, taps, rows, c.grid.panelFirst, c.packForward)
	}
	c.multiply(taps * rows)
}

// Keep has Forward and ForwardFolded keep the weights of their next call in kept, and read them
// there from then on. Convolutions of the same weights on maps of the same size, whatever the
// batch, may share kept.
func (c *Conv[T]) Keep(kept *Kept[T]) { c.kept = kept }

// packFrom is the number of rows that meet a tap on average from which on it
// pays to pack its weights, if a panel of them is narrower than one in storage.
const packFrom = 256

// readDirectly reports whether the weights are multiplied with where they lie.
func (c *Conv[T]) readDirectly() bool {
	width := c.s.panelWidth()
	if c.stem || c.s.OutC%width != 0 || width%c.nr != 0 {
		return false
	}
	return width == c.nr || c.grid.work < packFrom*len(c.live)
}

// packWeights packs one tap of panel p of the weights, of a stem all taps.
func (c *Conv[T]) packWeights(dst []T, l, p int) {
	s, nr, t, rows := c.s, c.nr, 0, c.s.K*c.s.K*c.s.InC
	if !c.stem {
		t, rows = c.live[l], s.InC
	}
	j, width := p*nr, s.panelWidth()
	first := j / width * width
	packRows(dst[l*rows*nr:][:rows*nr], nr, c.w[s.WeightIndex(t, 0, first):], min(width, s.OutC-first), rows, j-first, min(nr, s.OutC-j))
}

func (c *Conv[T]) check(op string, x, w, y int) {
	need(op, "x", x, c.s.InLen())
	need(op, "w", w, c.s.WeightLen())
	need(op, "y", y, c.s.OutLen())
}

// multiply runs the grid and ends the call; rows is the length of the longest
// sum.
func (c *Conv[T]) multiply(rows int) {
	parallelSeats(c.grid.items(c.nr), grainFor(workConv, max(c.grid.rows, readAs)*rows*c.nr), c.runGrid)
	c.release()
}

func (c *Conv[T]) doGrid(seat, lo, hi int) { c.grid.run(&c.wp, seat, lo, hi, c.nr) }

// begin takes the operands of a call and borrows buffers for it.
func (c *Conv[T]) begin(x, w, y []T) {
	c.x, c.w, c.y, c.nr = x, w, y, panelWidth[T]()
	c.packing = packings[T]().get()
}

// release drops the operands of the finished call and returns the buffers.
func (c *Conv[T]) release() {
	c.x, c.w, c.y = nil, nil, nil
	c.grid = product[T]{}
	c.wp.storage, c.wp.packTap = nil, nil
	packings[T]().put(c.packing)
	c.packing = nil
}
