package kernel

// A strip is the unit of work of every matrix product in this package:
//
//	C[i, j] (+)= α · Σ_e Σ_p A[e.a·au + i·rs + p·ks] · B[(e.b + p)·nr + j]
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
	b      []T // packed: rows of nr
	c      []T
	ldc    int
	n      int // columns of C to write, 1 ≤ n ≤ nr; B has nr columns always
	alpha  T
	add    bool // add to C instead of overwriting it
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
		s.full(nr, s.m, s.a, s.c, s.ldc, s.add)
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
	for i := 0; i < s.m; i += tailRows {
		rows := min(tailRows, s.m-i)
		s.full(nr, rows, s.a[i*s.rs:], tmp[:], nr, false)
		for r := range rows {
			dst := s.c[(i+r)*s.ldc:][:s.n]
			src := tmp[r*nr:][:s.n]
			if s.add {
				for j, v := range src {
					dst[j] += v
				}
			} else {
				copy(dst, src)
			}
		}
	}
}

// full runs m rows of the strip over all nr columns on the current path.
func (s *strip[T]) full(nr, m int, a, c []T, ldc int, add bool) {
	if is32[T]() && strip32(nr, m, s.k, s.ents, f32(a), s.au, s.rs, s.ks, f32(s.b), f32(c), ldc, float32(s.alpha), add) == m {
		return
	}
	stripGo(nr, m, s.k, s.ents, a, s.au, s.rs, s.ks, s.b, c, ldc, s.alpha, add)
}

// stripGo is the portable strip: 2×4 tiles held in local variables.
func stripGo[T Float](nr, m, k int, ents []entry, a []T, au, rs, ks int, b, c []T, ldc int, alpha T, add bool) {
	for i := 0; i < m; i += 2 {
		two, d := i+1 < m, rs
		if !two {
			d = 0 // the second row repeats the first and is not stored
		}
		for j := 0; j < nr; j += 4 {
			var c00, c01, c02, c03, c10, c11, c12, c13 T
			for _, e := range ents {
				ap, bp := e[0]*au+i*rs, e[1]*nr+j
				for range k {
					bb := b[bp : bp+4 : bp+4]
					a0, a1 := a[ap], a[ap+d]
					c00 += a0 * bb[0]
					c01 += a0 * bb[1]
					c02 += a0 * bb[2]
					c03 += a0 * bb[3]
					c10 += a1 * bb[0]
					c11 += a1 * bb[1]
					c12 += a1 * bb[2]
					c13 += a1 * bb[3]
					ap += ks
					bp += nr
				}
			}
			store4(c[i*ldc+j:], alpha, c00, c01, c02, c03, add)
			if two {
				store4(c[(i+1)*ldc+j:], alpha, c10, c11, c12, c13, add)
			}
		}
	}
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
