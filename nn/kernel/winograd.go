package kernel

// winograd is the way to compute a convolution with a 3×3 filter, stride one and
// one pixel of padding, with fewer multiplications: with a scheme along the rows
// of the map and one along its columns, see winograd_scheme.go,
//
//	y = Aᵀ[(G·w·Gᵀ) ⊙ (B·x·Bᵀ)]A
//
// Maps of 7×7 take 121 products instead of 361, maps of 4×4 take 36 instead of 100, and maps
// of 2×2 take 9 instead of 16. As pixels are matrices N×InC and taps matrices InC×OutC, each
// product is a product of matrices, and B, G and A add up whole pixels and whole taps. With
// the matrices of the scheme in other places,
//
//	dx = Aᵀ[(G·w'·Gᵀ) ⊙ (B·dy·Bᵀ)]A,   dw = Gᵀ[Σ (B·x·Bᵀ)ᵀ·(A·dy·Aᵀ)]G
//
// with w' the taps in reverse order, transposed, and the sum over the batch and
// over the products of the same taps.
//
// It costs accuracy, as sums that are larger than the result cancel in it: errors are two to
// four times as large as the errors of the plain sum, see TestWinogradAccuracy. A NaN or
// infinity in one pixel spreads over the segments that contain the pixel.
type winograd[T Float] struct {
	s     ConvShape
	slots slots

	taps, flipped transform[T] // of the weights, in order and in reverse
	in, out       transform[T] // of the operand and of the result of a product
	grad, tapGrad transform[T] // of dy, and to dw
	mid           int          // blocks of scratch of the largest
	products      int

	winogradCall[T]
	transformWeights, transformTransposed, product, spreadBatch, correlate, gatherTaps func(seat, lo, hi int)
}

// winogradCall holds the operands of the running call.
type winogradCall[T Float] struct {
	x, y, w     []T
	k, cols, nr int // channels of x and y; panel width
	blocks      int // that the batch is cut into
	post        epilogue[T]
	buf         *winogradBuffers[T]
	from, n     int // slice of the batch, of a weight gradient
}

// winogradBuffers are part of the packing of a call.
type winogradBuffers[T Float] struct {
	weights []T // [pairs of forms][panels][k][nr], or their gradient, each as stored
	x, dy   []T // of a weight gradient: [panels][slots][slotRows][nr]
	seats   []winogradSeat[T]
}

// winogradSeat is the scratch of one seat: inputs and outputs of the products of a block of
// the batch, [slots][rows][channels], the values between two passes of a transform, and packed
// taps.
type winogradSeat[T Float] struct{ in, out, mid, taps []T }

// planWinograd returns nil if the shape has no such way or gains nothing.
func planWinograd[T Float](s ConvShape) *winograd[T] {
	if !s.gainsByWinograd() {
		return nil
	}
	return newWinograd[T](s)
}

func newWinograd[T Float](s ConvShape) *winograd[T] {
	h, _ := schemeFor(s.H)
	w, _ := schemeFor(s.W)
	c := &winograd[T]{s: s, slots: newSlots(h, w), products: h.products() * w.products()}
	c.taps, c.flipped, c.tapGrad = forms[T](&c.slots, false), forms[T](&c.slots, true), taps[T](&c.slots)
	c.in, c.grad, c.out = spread[T](&c.slots, false), spread[T](&c.slots, true), gather[T](&c.slots)
	c.mid = max(c.in.mid, c.taps.mid)
	c.transformWeights, c.transformTransposed, c.product = c.doWeights, c.doTransposed, c.doProduct
	c.spreadBatch, c.correlate, c.gatherTaps = c.doSpreadBatch, c.doCorrelate, c.doGatherTaps
	return c
}

// moveCost is the cost of bringing one element from pixels to products, from products to
// pixels or from a tap to a form, in multiply-adds of a matrix product. It was measured: with
// 8, the predicted ratio of plain to fast below agrees with the measured one to a tenth, on
// the layers of ResNet18 for 28×28 images and batches from 16 to 240.
const moveCost = 8

// gainsByWinograd decides between this method and the plain sum. It must save a fifth of the
// time. So small batches keep the plain sum if many weights have to be transformed for few
// pixels; so do few channels, for which the products are too small to pay for their
// preparation. The number of channels must fill the panels of all paths.
func (s ConvShape) gainsByWinograd() bool {
	if s.K != 3 || s.Stride != 1 || s.Pad != 1 || s.InC%maxNR != 0 || s.OutC%maxNR != 0 {
		return false
	}
	h, ok := schemeFor(s.H)
	w, also := schemeFor(s.W)
	if !ok || !also {
		return false
	}
	products, matrix := h.products()*w.products(), s.InC*s.OutC
	plain := (3*s.H - 2) * (3*s.W - 2) * s.N * matrix
	moved := (s.K*s.K+len(h.g)*len(w.g))*matrix + (products+s.H*s.W)*s.N*(s.InC+s.OutC)
	fast := products*s.N*matrix + moveCost*moved
	return 4*plain >= 5*fast
}

// begin takes the operands of a call.
func (c *winograd[T]) begin(buf *winogradBuffers[T], call winogradCall[T]) {
	c.winogradCall = call
	c.buf, c.nr = buf, panelWidth[T]()
	for len(buf.seats) < participants(maxParts, 1) {
		buf.seats = append(buf.seats, winogradSeat[T]{})
	}
}

func (c *winograd[T]) end() { c.winogradCall = winogradCall[T]{} }

// seat returns the scratch of a seat with room for a transform.
func (c *winograd[T]) seat(i int) *winogradSeat[T] {
	s := &c.buf.seats[i]
	s.mid = grow(s.mid, c.mid*unit*group)
	return s
}
