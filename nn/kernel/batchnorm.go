package kernel

import "math"

// The reductions of batch normalisation go over blocks of rows that have between bnBlockMin
// and bnBlockMax elements. For balance there are as many blocks as possible up to
// bnBlocksGood; for precision there are no more than that. Blocks depend on the shape alone,
// never on the number of threads.
const (
	bnBlockMin   = 1 << 12
	bnBlockMax   = 1 << 14
	bnBlocksGood = 8
)

// workElems is the number of elements of an element-wise kernel that justifies
// another thread.
const workElems = 1 << 13

// bnBlocks cuts rows of c channels into blocks.
func bnBlocks(rows, c int) (blocks, blockRows int) {
	size := min(max(rows*c/bnBlocksGood, bnBlockMin), bnBlockMax)
	blockRows = min(rows, max(1, size/c))
	return ceilDiv(rows, blockRows), blockRows
}

// eachBlock calls f with the elements of each block of rows, of one alone: where several rows are taken as one, the
// last of those that are taken together are rounded otherwise.
func eachBlock(rows, c int, f func(lo, hi int)) {
	if rows == 0 || c == 0 {
		return
	}
	blocks, blockRows := bnBlocks(rows, c)
	Parallel(blocks, grainFor(workElems, blockRows*c), func(lo, hi int) {
		for b := lo; b < hi; b++ {
			f(b*blockRows*c, min((b+1)*blockRows, rows)*c)
		}
	})
}

// mergeAt is the number of channels whose blocks are added up at a time.
const mergeAt = 64

// eachMerge calls f with ranges of at most mergeAt channels that cover all c.
func eachMerge(blocks, c int, f func(lo, hi int)) {
	Parallel(c, max(mergeAt, grainFor(workElems/4, blocks)/mergeAt*mergeAt), func(lo, hi int) {
		for ; lo < hi; lo += mergeAt {
			f(lo, min(lo+mergeAt, hi))
		}
	})
}

// Batch normalisation of a rows×c matrix x normalises every channel over the rows by the
// statistics of the batch:
//
//	mean = Σx / rows,  variance = Σ(x − mean)² / rows,  invstd = 1/√(variance + eps)
//	y = act((x − mean)·invstd·gamma + beta + residual)
//
// where act is the positive part if relu is set, and residual may be nil. It is done in two
// halves, BatchNormMoments and BatchNormApply, between which the moments of several parts of
// a batch may be joined.
//
// The statistics come from sums over blocks of rows about a shift near the mean of the
// block, merged in a fixed order in float64, so they keep their precision when the mean is
// large compared with the deviation, and do not depend on the number of threads.

// BatchNormMoments writes the mean of every channel and behind them, from entry c on, the
// biased variances.
func BatchNormMoments[T Float](x []T, moments []float64, rows, c int) {
	const op = "BatchNormMoments"
	need(op, "x", len(x), rows*c)
	need(op, "moments", len(moments), 2*c)
	if rows == 0 || c == 0 {
		return
	}
	blocks, blockRows := bnBlocks(rows, c)
	ws := getWorkspace[T](3 * blocks * c)
	defer putWorkspace(ws)
	part := ws.buf
	Parallel(blocks, grainFor(workElems, blockRows*c), func(lo, hi int) {
		for b := lo; b < hi; b++ {
			p := part[3*b*c:][:3*c]
			bnMoments(x[b*blockRows*c:min((b+1)*blockRows, rows)*c], p[:c], p[c:2*c], p[2*c:], c)
		}
	})
	eachMerge(blocks, c, func(lo, hi int) {
		m, m2 := mergeMoments(part, blockRows, rows, c, lo, hi)
		for j := lo; j < hi; j++ {
			moments[j], moments[c+j] = m[j-lo], m2[j-lo]/float64(rows)
		}
	})
}

// BatchNormApply normalises by the given moments, which may be of more rows than x has. gamma,
// beta, mean, variance and invstd have length c; the last three are results. variance is the
// biased one; multiply by rows/(rows−1) for the unbiased estimate that running statistics
// usually keep. y may be x or residual.
func BatchNormApply[T Float](x, gamma, beta, residual, y []T, moments []float64, mean, variance, invstd []T, relu bool, eps T, rows, c int) {
	const op = "BatchNormApply"
	need(op, "x", len(x), rows*c)
	need(op, "y", len(y), rows*c)
	needOptional(op, "residual", residual, rows*c)
	need(op, "gamma", len(gamma), c)
	need(op, "beta", len(beta), c)
	need(op, "moments", len(moments), 2*c)
	need(op, "mean", len(mean), c)
	need(op, "variance", len(variance), c)
	need(op, "invstd", len(invstd), c)
	if rows == 0 || c == 0 {
		return
	}
	ws := getWorkspace[T](c)
	defer putWorkspace(ws)
	scale := ws.buf
	for j := range c {
		m, v := moments[j], moments[c+j]
		mean[j], variance[j] = T(m), T(v)
		invstd[j] = T(1 / math.Sqrt(v+float64(eps)))
		scale[j] = gamma[j] * invstd[j]
	}
	eachBlock(rows, c, func(lo, hi int) {
		bnApply(x[lo:hi], mean, scale, beta, cut(residual, lo, hi), y[lo:hi], floorOf[T](relu), c)
	})
}

// cut slices an optional buffer.
func cut[T Float](s []T, lo, hi int) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi]
}

// mergeMoments combines the shifted sums of all blocks of channels lo to hi into their means
// and their sums of squared deviations. A sum adds the deviations inside the blocks and the
// deviations of the blocks' means, each counted once for every row of its block.
func mergeMoments[T Float](part []T, blockRows, rows, c, lo, hi int) (mean, m2 [mergeAt]float64) {
	for r, p := 0, part; r < rows; r, p = r+blockRows, p[3*c:] {
		n := float64(min(blockRows, rows-r))
		inv, weight := 1/n, n/float64(rows)
		shift, sum := p[lo:hi], p[c+lo:c+hi]
		for j := range shift {
			mean[j] += weight * (float64(shift[j]) + float64(sum[j])*inv)
		}
	}
	for r, p := 0, part; r < rows; r, p = r+blockRows, p[3*c:] {
		n := float64(min(blockRows, rows-r))
		inv := 1 / n
		shift, sum, squares := p[lo:hi], p[c+lo:c+hi], p[2*c+lo:2*c+hi]
		for j := range shift {
			s := float64(sum[j]) * inv
			d := float64(shift[j]) + s - mean[j]
			m2[j] += max(0, float64(squares[j])-float64(sum[j])*s) + n*(d*d)
		}
	}
	return mean, m2
}

// bnShiftRows is the number of rows that set the shift of a block.
const bnShiftRows = 16

// bnMoments sums one block about a shift near its mean: the mean of its first
// few rows. The shift is at most √(rows/bnShiftRows) standard deviations of the
// block away from the mean of the block, so taking it out again afterwards
// costs the variance a factor of at most 1 + rows/bnShiftRows in accuracy,
// whatever the data.
func bnMoments[T Float](x, shift, sum, squares []T, c int) {
	head := x[:min(len(x), bnShiftRows*c)]
	colSums(head, shift, c)
	scale(T(c)/T(len(head)), shift)
	colMoments(x, shift, sum, squares, c)
}

// colSums overwrites sum with the column sums of x.
func colSums[T Float](x, sum []T, c int) {
	done := 0
	if vectors[T]() && len(x) >= c {
		colSumsVec(len(x)/c, c, at32(x), at32(sum))
		done = c &^ 7
	}
	clear(sum[done:])
	for ; done < c && len(x) >= c; x = x[c:] {
		for j := done; j < c; j++ {
			sum[j] += x[j]
		}
	}
}

// colMoments overwrites sum and squares with the column sums of x − shift and
// of (x − shift)².
func colMoments[T Float](x, shift, sum, squares []T, c int) {
	if w := wideOf[T](len(x), c); w > 0 {
		n := len(x) / w * w
		ws := repeated(3, w, shift)
		defer putWorkspace(ws)
		s, q := ws.buf[w:2*w], ws.buf[2*w:]
		colMoments(x[n:], shift, sum, squares, c)
		colMoments(x[:n], ws.buf[:w], s, q, w)
		fold(s, sum)
		fold(q, squares)
		return
	}
	done := 0
	if vectors[T]() && len(x) >= c {
		colMomentsVec(len(x)/c, c, at32(x), at32(shift), at32(sum), at32(squares))
		done = c &^ 7
	}
	clear(sum[done:])
	clear(squares[done:])
	shift = shift[done:c]
	sum, squares = sum[done:][:len(shift)], squares[done:][:len(shift)]
	for i := done; len(shift) > 0 && i < len(x); i += c {
		xr := x[i:][:len(shift)]
		for j, v := range shift {
			d := xr[j] - v
			sum[j] += d
			squares[j] += d * d
		}
	}
}

// bnApply computes y = max(floor, (x − mean)·scale + shift + residual).
func bnApply[T Float](x, mean, scale, shift, residual, y []T, floor T, c int) {
	if w := wideOf[T](len(x), c); w > 0 {
		n := len(x) / w * w
		ws := repeated(3, w, mean, scale, shift)
		defer putWorkspace(ws)
		bnApply(x[:n], ws.buf[:w], ws.buf[w:2*w], ws.buf[2*w:], cut(residual, 0, n), y[:n], floor, w)
		bnApply(x[n:], mean, scale, shift, cut(residual, n, len(x)), y[n:], floor, c)
		return
	}
	done := 0
	if vectors[T]() {
		bnApplyVec(len(x)/c, c, at32(x), at32(mean), at32(scale), at32(shift), at32(residual), at32(y), float32(floor))
		done = c &^ 7
	}
	mean = mean[done:c]
	scale, shift = scale[done:][:len(mean)], shift[done:][:len(mean)]
	for i := done; len(mean) > 0 && i < len(x); i += c {
		xr, yr := x[i:][:len(mean)], y[i:][:len(mean)]
		if residual == nil {
			for j, m := range mean {
				yr[j] = max((xr[j]-m)*scale[j]+shift[j], floor)
			}
			continue
		}
		rr := residual[i:][:len(mean)]
		for j, m := range mean {
			yr[j] = max((xr[j]-m)*scale[j]+shift[j]+rr[j], floor)
		}
	}
}

// ScaleShift computes y = act(x·scale + shift + residual) for a rows×c matrix
// with one scale and one shift per channel: batch normalisation with frozen
// statistics, see FoldBatchNorm. residual may be nil; y may be x or residual.
func ScaleShift[T Float](x, scale, shift, residual, y []T, relu bool, rows, c int) {
	const op = "ScaleShift"
	need(op, "x", len(x), rows*c)
	need(op, "y", len(y), rows*c)
	needOptional(op, "residual", residual, rows*c)
	need(op, "scale", len(scale), c)
	need(op, "shift", len(shift), c)
	ws := getWorkspace[T](c)
	defer putWorkspace(ws)
	clear(ws.buf)
	eachBlock(rows, c, func(lo, hi int) {
		bnApply(x[lo:hi], ws.buf, scale, shift, cut(residual, lo, hi), y[lo:hi], floorOf[T](relu), c)
	})
}

// FoldBatchNorm turns the parameters of a batch normalisation and its running
// statistics into the scale and shift of ScaleShift:
// scale = gamma/√(variance + eps), shift = beta − mean·scale.
func FoldBatchNorm[T Float](gamma, beta, mean, variance []T, eps T, scale, shift []T) {
	for j := range scale {
		s := float64(gamma[j]) / math.Sqrt(float64(variance[j])+float64(eps))
		scale[j], shift[j] = T(s), T(float64(beta[j])-float64(mean[j])*s)
	}
}
