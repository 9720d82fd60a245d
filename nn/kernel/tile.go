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
	room   int // elements behind the last row that are written after this strip
	alpha  T
	add    bool // add to C instead of overwriting it
	post   epilogue[T]
}

// epilogue is the operation on a complete sum that replaces α and add: C = max(floor,
// sum·scale + shift + residual), with one scale and shift a column and a residual laid out as
// C, or nil. There is no epilogue if scale is nil.
type epilogue[T Float] struct {
	scale, shift, residual []T
	floor                  T
}

// entry names one operand pair of a strip, in units of au and of rows of B: {a, b}.
type entry [2]int

// one is the entry list of a plain matrix product.
var one = []entry{{}}

// tailRows is the number of rows of the scratch on the stack for narrow strips: few, as it is
// cleared each time, and full register tiles on every path.
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
// scratch and copied.
func (s *strip[T]) narrow(cols int, inOrder bool) {
	if s.n == cols {
		s.full(cols)
		return
	}
	var factors [2 * maxNR]T
	part, done := *s, 0
	if s.post.scale != nil {
		part.post.scale, part.post.shift = factors[:maxNR], factors[maxNR:]
		copy(part.post.scale, s.post.scale[:s.n])
		copy(part.post.shift, s.post.shift[:s.n])
	}
	if inOrder && s.ldc == s.n && !s.add {
		done = min(s.m, max(0, s.m-ceilDiv(cols-s.n-s.room, s.n)))
		if part.m = done; done > 0 {
			part.full(cols)
		}
	}
	if done < s.m {
		s.tail(part, cols, done)
	}
}

// tail is narrow by scratch, from row done on; part is the strip with factors for all columns. A residual goes
// through scratch, too: the last rows have the bits that they would have before others.
// It is kept out of line so that only strips that need the scratch pay for it.
//
//go:noinline
func (s *strip[T]) tail(part strip[T], cols, done int) {
	var tmp, rest [tailRows * maxNR]T
	residual := part.post.residual
	part.c, part.ldc, part.add = tmp[:], cols, false
	switch {
	case s.add:
		part.post = epilogue[T]{}
	case residual != nil:
		part.post.residual = rest[:]
	}
	for i := done; i < s.m; i += tailRows {
		part.m, part.a = min(tailRows, s.m-i), s.a[i*s.rs:]
		if residual != nil {
			moveRows(rest[:], cols, residual[i*s.ldc:], s.ldc, part.m, s.n)
		}
		part.full(cols)
		if !s.add {
			moveRows(s.c[i*s.ldc:], s.ldc, tmp[:], cols, part.m, s.n)
			continue
		}
		for r := range part.m {
			dst := s.c[(i+r)*s.ldc:][:s.n]
			for j, v := range tmp[r*cols:][:s.n] {
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
const tileCols = 8

// stripGo is the portable strip: tiles of eight columns of a row, held in local variables.
// The terms of a sum are added in their order, whatever the shape of the tile.
func stripGo[T Float](s *strip[T], cols int) {
	alpha, add := s.alpha, s.add
	if s.post.scale != nil {
		alpha, add = 1, false
	}
	for i := range s.m {
		for j := 0; j < cols; j += tileCols {
			s.tile((*[tileCols]T)(s.c[i*s.ldc+j:]), i, j, alpha, add)
		}
	}
}

// tile computes the tile at row i and column j. It checks the bounds of the last elements that
// an entry reads and then reads the elements before them without checks, which would take as
// long as the arithmetic.
func (s *strip[T]) tile(c *[tileCols]T, i, j int, alpha T, add bool) {
	var c0, c1, c2, c3, c4, c5, c6, c7 T
	nextA, nextB := uintptr(s.ks)*unsafe.Sizeof(c0), uintptr(s.ldb)*unsafe.Sizeof(c0)
	if min(s.ks, s.ldb) < 0 {
		panic("kernel: a strip with a negative stride")
	}
	ents := s.ents
	if s.k <= 0 {
		ents = nil // an empty sum
	}
	for _, e := range ents {
		from, to := s.a[e[0]*s.au+i*s.rs:], s.b[e[1]*s.ldb+j:]
		_, _ = from[(s.k-1)*s.ks], to[(s.k-1)*s.ldb+tileCols-1]
		pa, pb := unsafe.Pointer(unsafe.SliceData(from)), unsafe.Pointer(unsafe.SliceData(to))
		// Eight terms a turn, and the way out before the step to the next: otherwise the sums
		// would be moved between registers as often as they are added to.
		var a T
		var b *[tileCols]T
		left := s.k
		for left >= 8 {
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			if left -= 8; left == 0 {
				break
			}
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
		}
		for left > 0 {
			a, b = *(*T)(pa), (*[8]T)(pb)
			c0, c1, c2, c3 = c0+a*b[0], c1+a*b[1], c2+a*b[2], c3+a*b[3]
			c4, c5, c6, c7 = c4+a*b[4], c5+a*b[5], c6+a*b[6], c7+a*b[7]
			if left--; left == 0 {
				break
			}
			pa, pb = unsafe.Add(pa, nextA), unsafe.Add(pb, nextB)
		}
	}
	if !add {
		*c = [tileCols]T{alpha * c0, alpha * c1, alpha * c2, alpha * c3, alpha * c4, alpha * c5, alpha * c6, alpha * c7}
		return
	}
	for n, v := range [tileCols]T{c0, c1, c2, c3, c4, c5, c6, c7} {
		c[n] += alpha * v
	}
}
