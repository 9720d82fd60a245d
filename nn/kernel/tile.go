package kernel

import "unsafe"

// A strip is the unit of work of every matrix product in this package:
//
//	C[i, j] (+)= α · Σ_e Σ_p A[e.a·au + i·rs + p·ks] · B[(e.b + p)·ldb + j]
//
// for i in [0, m) and j in [0, nr), the sum running over a list of entries e
// and p in [0, k) and staying in registers until it is complete. With one entry
// it is a matrix product; with one entry per filter tap it is a convolution at
// one pixel; with one entry per pixel it is the weight gradient of one tap.
type strip[T Float] struct {
	m, k   int
	ents   []entry
	a      []T
	au     int // scale of entry.a
	rs, ks int // distance in a between rows and between terms of the sum
	b      []T
	ldb    int // distance between rows of b, at least nr
	c      []T
	ldc    int
	n      int // columns of C to write, 1 ≤ n ≤ nr; B has nr columns always
	alpha  T
	add    bool // add to C instead of overwriting it
	post   epilogue[T]
}

// epilogue is what becomes of a complete sum on its way to C instead of α and
// add: C = max(floor, sum·scale + shift + residual), with one scale and shift a
// column and the residual laid out as C, or nil. There is none if scale is nil.
type epilogue[T Float] struct {
	scale, shift, residual []T
	floor                  T
}

// entry names one operand pair of a strip, in units of au and of rows of B: {a, b}.
type entry [2]int

// one is the entry list of a plain matrix product.
var one = []entry{{}}

// tailRows is the number of rows of the scratch on the stack for narrow strips: few, as it
// is cleared each time, and full register tiles on every path.
const tailRows = 12

// compute runs the strip.
func (s *strip[T]) compute(nr int) {
	if s.m <= 0 || s.n <= 0 {
		return
	}
	if s.n == nr {
		s.full(nr)
		return
	}
	switch half := pathOf[T]().half; {
	case half == 0:
		s.narrow(ceilDiv(s.n, tileCols)*tileCols, false)
	case s.n <= half:
		s.narrow(half, true)
	default:
		s.narrow(nr, true)
	}
}

// narrow computes the columns that exist and those that are computed with them, up to
// cols. Where the rows of C follow one another and are written in order, what does not exist
// of a row is overwritten by the rows behind it; the last rows, and others, are computed into
// scratch and copied. It is kept out of line so that only narrow strips pay for the scratch.
//
//go:noinline
func (s *strip[T]) narrow(cols int, inOrder bool) {
	if s.n == cols {
		s.full(cols)
		return
	}
	var tmp [tailRows * maxNR]T
	var factors [2 * maxNR]T
	part, done := *s, 0
	if s.post.scale != nil {
		part.post.scale, part.post.shift = factors[:maxNR], factors[maxNR:]
		copy(part.post.scale, s.post.scale[:s.n])
		copy(part.post.shift, s.post.shift[:s.n])
	}
	if inOrder && s.ldc == s.n && !s.add {
		done = max(0, s.m-ceilDiv(cols-s.n, s.n))
		if part.m = done; done > 0 {
			part.full(cols)
		}
	}
	residual := part.post.residual
	part.c, part.ldc, part.add, part.post.residual = tmp[:], cols, false, nil
	if s.add || residual != nil {
		part.post = epilogue[T]{}
	}
	for i := done; i < s.m; i += tailRows {
		part.m, part.a = min(tailRows, s.m-i), s.a[i*s.rs:]
		part.full(cols)
		if residual == nil && !s.add {
			moveRows(s.c[i*s.ldc:], s.ldc, tmp[:], cols, part.m, s.n)
			continue
		}
		for r := range part.m {
			at := (i + r) * s.ldc
			dst, src := s.c[at:][:s.n], tmp[r*cols:][:s.n]
			if residual != nil {
				s.post.row(dst, src, at)
				continue
			}
			for j, v := range src {
				dst[j] += v
			}
		}
	}
}

// row applies the epilogue to one row of sums; at is its offset in C.
func (e *epilogue[T]) row(dst, sum []T, at int) {
	for j, v := range sum {
		v = v*e.scale[j] + e.shift[j]
		if e.residual != nil {
			v += e.residual[at+j]
		}
		if v < e.floor {
			v = e.floor
		}
		dst[j] = v
	}
}

// full runs the strip over cols columns on the current path.
func (s *strip[T]) full(cols int) {
	if s32, ok := any(s).(*strip[float32]); ok && strip32(s32, cols) {
		return
	}
	stripGo(s, cols)
	if s.post.scale != nil {
		for i := range s.m {
			row := s.c[i*s.ldc:][:cols]
			s.post.row(row, row, i*s.ldc)
		}
	}
}

// tileCols is the number of columns of a tile of stripGo.
const tileCols = 4

// stripGo is the portable strip: 2×4 tiles held in local variables. The terms of a sum are
// added in their order, whatever the shape of the tile.
func stripGo[T Float](s *strip[T], cols int) {
	alpha, add := s.alpha, s.add
	if s.post.scale != nil {
		alpha, add = 1, false
	}
	for i := 0; i < s.m; i += 2 {
		two, d := i+1 < s.m, s.rs
		if !two {
			d = 0 // the second row repeats the first and is not stored
		}
		for j := 0; j < cols; j += tileCols {
			c := s.tile(i, j, d)
			store4(s.c[i*s.ldc+j:], alpha, c[0], c[1], c[2], c[3], add)
			if two {
				store4(s.c[(i+1)*s.ldc+j:], alpha, c[4], c[5], c[6], c[7], add)
			}
		}
	}
}

// tile sums the 2×4 tile at row i and column j; the second row of A is d behind the
// first. The last elements that an entry reads are looked at first, and what is before
// them is then read without checks, which would take as long as the arithmetic.
func (s *strip[T]) tile(i, j, d int) [8]T {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	size := unsafe.Sizeof(c00)
	next, nextA, nextB := uintptr(d)*size, uintptr(s.ks)*size, uintptr(s.ldb)*size
	if s.k <= 0 {
		return [8]T{} // an empty sum
	}
	if min(d, s.ks, s.ldb) < 0 {
		panic("kernel: a strip with a negative stride")
	}
	for _, e := range s.ents {
		a, b := s.a[e[0]*s.au+i*s.rs:], s.b[e[1]*s.ldb+j:]
		_, _ = a[d+(s.k-1)*s.ks], b[(s.k-1)*s.ldb+3]
		pa, pb := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
		// Four terms a turn: with one, the eight sums would be moved between registers as often
		// as they are added to.
		left := s.k
		for ; left > 4; left -= 4 {
			a0, a1, b := *(*T)(pa), *(*T)(unsafe.Add(pa, next)), (*[4]T)(pb)
			c00, c10, c01, c11 = c00+a0*b[0], c10+a1*b[0], c01+a0*b[1], c11+a1*b[1]
			c02, c12, c03, c13 = c02+a0*b[2], c12+a1*b[2], c03+a0*b[3], c13+a1*b[3]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a0, a1, b = *(*T)(pa), *(*T)(unsafe.Add(pa, next)), (*[4]T)(pb)
			c00, c10, c01, c11 = c00+a0*b[0], c10+a1*b[0], c01+a0*b[1], c11+a1*b[1]
			c02, c12, c03, c13 = c02+a0*b[2], c12+a1*b[2], c03+a0*b[3], c13+a1*b[3]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a0, a1, b = *(*T)(pa), *(*T)(unsafe.Add(pa, next)), (*[4]T)(pb)
			c00, c10, c01, c11 = c00+a0*b[0], c10+a1*b[0], c01+a0*b[1], c11+a1*b[1]
			c02, c12, c03, c13 = c02+a0*b[2], c12+a1*b[2], c03+a0*b[3], c13+a1*b[3]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a0, a1, b = *(*T)(pa), *(*T)(unsafe.Add(pa, next)), (*[4]T)(pb)
			c00, c10, c01, c11 = c00+a0*b[0], c10+a1*b[0], c01+a0*b[1], c11+a1*b[1]
			c02, c12, c03, c13 = c02+a0*b[2], c12+a1*b[2], c03+a0*b[3], c13+a1*b[3]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
		}
		for ; ; pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB) {
			a0, a1, b := *(*T)(pa), *(*T)(unsafe.Add(pa, next)), (*[4]T)(pb)
			c00, c10, c01, c11 = c00+a0*b[0], c10+a1*b[0], c01+a0*b[1], c11+a1*b[1]
			c02, c12, c03, c13 = c02+a0*b[2], c12+a1*b[2], c03+a0*b[3], c13+a1*b[3]
			if left--; left == 0 {
				break
			}
		}
	}
	return [8]T{c00, c01, c02, c03, c10, c11, c12, c13}
}

func store4[T Float](c []T, alpha, c0, c1, c2, c3 T, add bool) {
	c = c[:4]
	if add {
		c[0] += alpha * c0
		c[1] += alpha * c1
		c[2] += alpha * c2
		c[3] += alpha * c3
		return
	}
	c[0] = alpha * c0
	c[1] = alpha * c1
	c[2] = alpha * c2
	c[3] = alpha * c3
}
