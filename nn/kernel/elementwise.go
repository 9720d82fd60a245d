package kernel

// Scale computes x = α·x.
func Scale[T Float](alpha T, x []T) {
	Parallel(len(x), workElems, func(lo, hi int) { scale(alpha, x[lo:hi]) })
}

func scale[T Float](alpha T, x []T) {
	done := 0
	if vectors[T]() {
		scaleVec(len(x), float32(alpha), at32(x))
		done = len(x) &^ 7
	}
	for i := done; i < len(x); i++ {
		x[i] *= alpha
	}
}

// Lerp moves y towards x: y = y + t·(x − y).
func Lerp[T Float](t T, x, y []T) {
	need("Lerp", "y", len(y), len(x))
	Parallel(len(x), workElems, func(lo, hi int) { lerp(t, x[lo:hi], y[lo:hi]) })
}

func lerp[T Float](t T, x, y []T) {
	done := 0
	if vectors[T]() {
		lerpVec(len(x), float32(t), at32(x), at32(y))
		done = len(x) &^ 7
	}
	for i := done; i < len(x); i++ {
		y[i] += t * (x[i] - y[i])
	}
}

// Swap exchanges the contents of x and y.
func Swap[T Float](x, y []T) {
	need("Swap", "y", len(y), len(x))
	Parallel(len(x), workElems, func(lo, hi int) {
		x, y := x[lo:hi], y[lo:hi]
		for i, v := range x {
			x[i], y[i] = y[i], v
		}
	})
}

// Relu computes y = max(x, 0), leaving NaN as it is. y may be x.
func Relu[T Float](x, y []T) {
	need("Relu", "y", len(y), len(x))
	Parallel(len(x), workElems, func(lo, hi int) { relu(x[lo:hi], y[lo:hi]) })
}

func relu[T Float](x, y []T) {
	done := 0
	if vectors[T]() {
		reluVec(len(x), at32(x), at32(y))
		done = len(x) &^ 7
	}
	for i := done; i < len(x); i++ {
		v := x[i]
		if v < 0 {
			v = 0
		}
		y[i] = v
	}
}

// ReluBackward computes dx = dy·[y > 0] from the output y of Relu. dx may be dy.
func ReluBackward[T Float](dy, y, dx []T) {
	need("ReluBackward", "y", len(y), len(dy))
	need("ReluBackward", "dx", len(dx), len(dy))
	Parallel(len(dy), workElems, func(lo, hi int) { mask(dy[lo:hi], y[lo:hi], dx[lo:hi]) })
}

func mask[T Float](dy, y, dx []T) {
	done := 0
	if vectors[T]() {
		maskVec(len(dy), at32(dy), at32(y), at32(dx))
		done = len(dy) &^ 7
	}
	for i := done; i < len(dy); i++ {
		v := dy[i]
		if !(y[i] > 0) {
			v = 0
		}
		dx[i] = v
	}
}

// AddBias adds bias, of length c, to each of the rows of x in place, and takes
// the positive part if relu is set.
func AddBias[T Float](x, bias []T, relu bool, rows, c int) {
	need("AddBias", "x", len(x), rows*c)
	need("AddBias", "bias", len(bias), c)
	Parallel(rows, grainFor(workElems, c), func(lo, hi int) { addBias(x[lo*c:hi*c], bias, floorOf[T](relu), c) })
}

func addBias[T Float](x, bias []T, floor T, c int) {
	done := 0
	if vectors[T]() {
		addBiasVec(len(x)/c, c, at32(x), at32(bias), float32(floor))
		done = c &^ 7
	}
	for i := 0; done < c && i < len(x); i += c {
		row := x[i:][:c]
		for j := done; j < c; j++ {
			v := row[j] + bias[j]
			if v < floor {
				v = floor
			}
			row[j] = v
		}
	}
}

// ColumnSums overwrites sums, of length c, with the sums over the rows of x: the gradient of a
// bias. It sums blocks of rows separately and adds the blocks in order, in float64.
func ColumnSums[T Float](x, sums []T, rows, c int) {
	need("ColumnSums", "x", len(x), rows*c)
	need("ColumnSums", "sums", len(sums), c)
	if rows == 0 || c == 0 {
		clear(sums)
		return
	}
	blocks, blockRows := bnBlocks(rows, c)
	ws := getWorkspace[T](blocks * c)
	defer putWorkspace(ws)
	Parallel(blocks, grainFor(workElems, blockRows*c), func(lo, hi int) {
		for b := lo; b < hi; b++ {
			colSums(x[b*blockRows*c:min((b+1)*blockRows, rows)*c], ws.buf[b*c:][:c], c)
		}
	})
	for j := range sums {
		var s float64
		for b := range blocks {
			s += float64(ws.buf[b*c+j])
		}
		sums[j] = T(s)
	}
}

// squaresBlock is the length of the blocks that SumSquares sums separately.
const squaresBlock = 1 << 14

// SumSquares returns Σx² accumulated in float64 in a fixed order, as wanted for
// clipping by a global norm.
func SumSquares[T Float](x []T) float64 {
	blocks := ceilDiv(len(x), squaresBlock)
	if blocks <= 1 {
		return sumSquares(x)
	}
	ws := getWorkspace[float64](blocks)
	defer putWorkspace(ws)
	Parallel(blocks, 2, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			ws.buf[b] = sumSquares(x[b*squaresBlock : min((b+1)*squaresBlock, len(x))])
		}
	})
	var s float64
	for _, v := range ws.buf {
		s += v
	}
	return s
}

func sumSquares[T Float](x []T) float64 {
	var s float64
	done := 0
	if vectors[T]() {
		s, done = sumSquaresVec(len(x), at32(x)), len(x)&^7
	}
	for _, v := range x[done:] {
		s += float64(v) * float64(v)
	}
	return s
}
