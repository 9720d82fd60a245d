package kernel

// A transform maps a two-dimensional array of blocks of memory to another, by a matrix along
// the rows and one along the columns: each block of the result is a linear combination of
// blocks. A block is the data of one pixel or one tap. It is processed in units of a few
// groups of neighbouring elements, so that the data between the two passes stays in the
// first-level cache.

const (
	group = 16 // elements
	unit  = 4  // groups
)

// lineMap is a linear map of a line of blocks, given by its matrix and, for the
// assembly, by its kind.
type lineMap[T Float] struct {
	kind   lineKind
	matrix [][]T // outputs × inputs
}

// lineKind names a matrix of winograd_scheme.go. The matrices of kind in, which reach one
// pixel beyond a segment on either side, exist without the first column for the start of a
// line (L), without the last one for its end (R), and without both.
type lineKind int

const (
	in4L lineKind = iota
	in4R
	in4LR
	in3L
	in3R
	in3LR
	inPair
	out4
	out3
	outPair
	grad4
	grad3
	gradPair
	taps6
	tapsPair
	tapGrad6
	tapGradPair
	lineKinds
)

func newLineMap[T Float](kind lineKind, matrix [][]float64) lineMap[T] {
	m := lineMap[T]{kind: kind}
	for _, r := range matrix {
		row := make([]T, len(r))
		for k, v := range r {
			row[k] = T(v)
		}
		m.matrix = append(m.matrix, row)
	}
	return m
}

// pass applies a map to n lines. Places and distances count blocks.
type pass[T Float] struct {
	lineMap[T]
	n        int
	from, to walk
}

// walk is where the first block of the first line lies, and the distances from
// one block of a line, and from one line, to the next.
type walk struct{ at, step, line int }

// blocks describes the place of an operand's blocks: they are step apart; the groups of a
// block that are processed together are next apart.
type blocks[T Float] struct {
	at         []T
	step, next int
}

// apply runs the pass on n ≤ unit groups. With an epilogue, its residual lies as
// dst does.
func (p *pass[T]) apply(dst, src blocks[T], n int, post *epilogue[T]) {
	// Pointers change their types at no cost; slices do not.
	if p32, ok := any(p).(*pass[float32]); ok {
		d, _ := any(&dst).(*blocks[float32])
		s, _ := any(&src).(*blocks[float32])
		e, _ := any(post).(*epilogue[float32])
		if pass32(p32, d, s, n, e) {
			return
		}
	}
	size := group // elements processed at once: all groups if they are consecutive
	if dst.next == group && src.next == group {
		size, n = n*group, 1
	}
	for i, row := range p.matrix {
		terms := newTerms(row, src.step*p.from.step)
		for l := range p.n {
			for g := range n {
				from := (p.from.at+l*p.from.line)*src.step + g*src.next
				to := (p.to.at+l*p.to.line+i*p.to.step)*dst.step + g*dst.next
				out := dst.at[to:][:size]
				terms.combine(out, src.at, from)
				if post.scale != nil {
					e := epilogue[T]{post.scale[g*group:], post.shift[g*group:], post.residual, post.floor}
					e.row(out, out, to)
				}
			}
		}
	}
}

// terms are the coefficients of a combination that are not zero, and how far behind the
// first block theirs lie.
type terms[T Float] struct {
	n  int
	c  [mostTerms]T
	at [mostTerms]int
}

// mostTerms is the largest number of inputs of a map.
const mostTerms = 6

// newTerms returns the terms of a row of a matrix for blocks that are step apart.
func newTerms[T Float](row []T, step int) *terms[T] {
	t := new(terms[T])
	for k, c := range row {
		if c != 0 {
			t.c[t.n], t.at[t.n] = c, k*step
			t.n++
		}
	}
	return t
}

// combine computes as many elements of a combination as out has, two terms a turn. Terms are added
// in their order, to zero.
func (t *terms[T]) combine(out, src []T, from int) {
	clear(out)
	k := 0
	for ; k+1 < t.n; k += 2 {
		v0, v1 := src[from+t.at[k]:][:len(out)], src[from+t.at[k+1]:][:len(out)]
		c0, c1 := t.c[k], t.c[k+1]
		for i, sum := range out {
			out[i] = sum + c0*v0[i] + c1*v1[i]
		}
	}
	if k < t.n {
		v, c := src[from+t.at[k]:][:len(out)], t.c[k]
		for i := range out {
			out[i] += c * v[i]
		}
	}
}

// transform is a list of passes into scratch, mid blocks of it, and one of passes
// from there.
type transform[T Float] struct {
	first, second []pass[T]
	mid           int
}

// apply transforms n ≤ unit groups.
func (t *transform[T]) apply(dst, src blocks[T], n int, post *epilogue[T], scratch []T) {
	mid := blocks[T]{scratch, unit * group, group}
	for i := range t.first {
		t.first[i].apply(mid, src, n, &epilogue[T]{})
	}
	for i := range t.second {
		t.second[i].apply(dst, mid, n, post)
	}
}
