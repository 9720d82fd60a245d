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

// tailRows bounds the scratch on the stack for strips narrower than nr.
const tailRows = 24

// compute runs the strip.
func (s *strip[T]) compute(nr int) {
	if s.m <= 0 || s.n <= 0 {
		return
	}
	if s.n == nr {
		s.full(nr)
		return
	}
	s.narrow(nr)
}

// narrow computes into a scratch tile of full width and copies the columns that
// exist. It is kept out of line so that only narrow strips pay for the scratch.
//
//go:noinline
func (s *strip[T]) narrow(nr int) {
	var tmp [tailRows * maxNR]T
	part := *s
	part.c, part.ldc, part.add, part.post = tmp[:], nr, false, epilogue[T]{}
	for i := 0; i < s.m; i += tailRows {
		part.m, part.a = min(tailRows, s.m-i), s.a[i*s.rs:]
		part.full(nr)
		if s.post.scale == nil && !s.add {
			moveRows(s.c[i*s.ldc:], s.ldc, tmp[:], nr, part.m, s.n)
			continue
		}
		for r := range part.m {
			at := (i + r) * s.ldc
			dst, src := s.c[at:][:s.n], tmp[r*nr:][:s.n]
			if s.post.scale != nil {
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

// full runs the strip over all nr columns on the current path.
func (s *strip[T]) full(nr int) {
	if s32, ok := any(s).(*strip[float32]); ok && strip32(s32) {
		return
	}
	stripGo(s, nr)
	if s.post.scale != nil {
		for i := range s.m {
			row := s.c[i*s.ldc:][:nr]
			s.post.row(row, row, i*s.ldc)
		}
	}
}

// stripGo is the portable strip: 2×4 tiles held in local variables. The terms of a sum are
// added in their order, whatever the shape of the tile.
func stripGo[T Float](s *strip[T], nr int) {
	alpha, add := s.alpha, s.add
	if s.post.scale != nil {
		alpha, add = 1, false
	}
	for i := 0; i < s.m; i += 2 {
		two, d := i+1 < s.m, s.rs
		if !two {
			d = 0 // the second row repeats the first and is not stored
		}
		for j := 0; j < nr; j += 4 {
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
