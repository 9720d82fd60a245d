package kernel

// blockLen is the number of elements that a block of the batch may have on both
// sides of its products, to stay in the second-level cache. From half to twice of
// it makes little difference.
const blockLen = 96 << 10

// weightRows is the number of rows of a panel of weights that are transformed at
// a time.
const weightRows = WeightPanel

// forward computes y = conv(x, w) with an epilogue.
func (c *winograd[T]) forward(buf *winogradBuffers[T], x, w, y []T, post epilogue[T]) {
	c.begin(buf, winogradCall[T]{x: x, w: w, y: y, k: c.s.InC, cols: c.s.OutC, post: post})
	c.multiply(c.transformWeights)
}

// backwardInput computes dx: the convolution of dy with the taps in reverse order
// and transposed.
func (c *winograd[T]) backwardInput(buf *winogradBuffers[T], dy, w, dx []T, post epilogue[T]) {
	c.begin(buf, winogradCall[T]{x: dy, w: w, y: dx, k: c.s.OutC, cols: c.s.InC, post: post})
	c.multiply(c.transformTransposed)
}

// multiply transforms the weights and then, block by block of the batch, x, and
// the products to y. The cut does not matter to the result: rows are independent.
func (c *winograd[T]) multiply(weights func(seat, lo, hi int)) {
	n := len(c.slots.filled) * c.k * c.cols
	c.buf.weights = grow(c.buf.weights, n)
	items := c.cols / c.nr * c.k / weightRows
	parallelSeats(items, grainFor(workPack, n/items), weights)

	most := max(1, blockLen/(c.products*(c.k+c.cols)))
	threads := participants(maxParts, 1)
	c.blocks = min(c.s.N, ceilDiv(ceilDiv(c.s.N, most), threads)*threads)
	parallelSeats(c.blocks, grainFor(workConv, c.s.N*c.products*c.k*c.cols/c.blocks), c.product)
	c.end()
}

// doWeights transforms items lo to hi of a grid of panels × blocks of rows of the
// weights.
func (c *winograd[T]) doWeights(seat, lo, hi int) {
	mid := c.seat(seat).mid
	size := c.k * c.cols
	for i := lo; i < hi; i++ {
		p, row := i/(c.k/weightRows), i%(c.k/weightRows)*weightRows
		// A group is a row of a panel or half of one.
		src := blocks[T]{step: size, next: WeightPanel * group / c.nr}
		dst := blocks[T]{step: size, next: group}
		from, to := c.s.WeightIndex(0, row, p*c.nr), (p*c.k+row)*c.nr
		for g := 0; g < weightRows*c.nr/group; g += unit {
			src.at, dst.at = c.w[from+g*src.next:], c.buf.weights[to+g*group:]
			c.taps.apply(dst, src, unit, &epilogue[T]{}, mid)
		}
	}
}

// doTransposed is doWeights for the transposed weights, whose rows are output
// channels. They are packed first, tap by tap.
func (c *winograd[T]) doTransposed(seat, lo, hi int) {
	own := c.seat(seat)
	taps, n := c.s.K*c.s.K, weightRows*c.nr
	own.taps = grow(own.taps, taps*n)
	size := c.k * c.cols
	for i := lo; i < hi; i++ {
		p, row := i/(c.k/weightRows), i%(c.k/weightRows)*weightRows
		for t := range taps {
			src := c.w[c.s.WeightIndex(t, p*c.nr, row):]
			packCols(own.taps[t*n:][:n], c.nr, src, WeightPanel, size, weightRows, 0, c.nr)
		}
		to := (p*c.k + row) * c.nr
		for g := 0; g < n; g += unit * group {
			src := blocks[T]{own.taps[g:], n, group}
			dst := blocks[T]{c.buf.weights[to+g:], size, group}
			c.flipped.apply(dst, src, unit, &epilogue[T]{}, own.mid)
		}
	}
}

// doProduct computes blocks lo to hi of the batch.
func (c *winograd[T]) doProduct(seat, lo, hi int) {
	own := c.seat(seat)
	for i := lo; i < hi; i++ {
		row := i * c.s.N / c.blocks
		rows := (i+1)*c.s.N/c.blocks - row
		own.in, own.out = grow(own.in, c.slots.count()*rows*c.k), grow(own.out, c.slots.count()*rows*c.cols)
		for j := 0; j < rows*c.k; j += unit * group {
			src := blocks[T]{c.x[row*c.k+j:], c.s.N * c.k, group}
			dst := blocks[T]{own.in[j:], rows * c.k, group}
			c.in.apply(dst, src, min(unit, (rows*c.k-j)/group), &epilogue[T]{}, own.mid)
		}
		c.multiplyBlock(own, rows)
		for r := range rows {
			c.finishRow(own, rows, r, row+r)
		}
	}
}

// multiplyBlock computes the products of a block.
func (c *winograd[T]) multiplyBlock(own *winogradSeat[T], rows int) {
	s := strip[T]{k: c.k, ents: one, rs: c.k, ks: 1, ldb: c.nr, ldc: c.cols, n: c.nr, alpha: 1}
	panel := c.k * c.nr
	for f, span := range c.slots.filled {
		at := span.first * rows
		s.m, s.a = span.n*rows, own.in[at*c.k:]
		for p := range c.cols / c.nr {
			s.b, s.c = c.buf.weights[f*c.k*c.cols+p*panel:][:panel], own.out[at*c.cols+p*c.nr:]
			s.compute(c.nr)
		}
	}
}

// finishRow computes one output row of y from row r of a transformed block.
func (c *winograd[T]) finishRow(own *winogradSeat[T], rows, r, row int) {
	var post epilogue[T]
	for j := 0; j < c.cols; j += unit * group {
		at := row*c.cols + j
		src := blocks[T]{own.out[r*c.cols+j:], rows * c.cols, group}
		dst := blocks[T]{c.y[at:], c.s.N * c.cols, group}
		if c.post.scale != nil {
			post = epilogue[T]{c.post.scale[j:], c.post.shift[j:], nil, c.post.floor}
			if c.post.residual != nil {
				post.residual = c.post.residual[at:]
			}
		}
		c.out.apply(dst, src, min(unit, (c.cols-j)/group), &post, own.mid)
	}
}
