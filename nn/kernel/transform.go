package kernel

// group is the number of neighbouring elements that a transform deals with
// together, and unit that of the groups it takes at a time.
const (
	group = 16
	unit  = 4
)

// linear is a sparse matrix whose operands are blocks of memory instead of
// numbers: block outs[i][0] becomes the sum of the next outs[i][1] terms.
type linear[T Float] struct {
	outs  [][2]int
	terms []term[T]
}

type term[T Float] struct {
	from int
	coef T
}

// blocks tells where the blocks of an operand lie: step apart; the groups of a
// block that are dealt with together, next apart.
type blocks[T Float] struct {
	at         []T
	step, next int
}

// row appends an output and its terms; those with coefficient zero are left out.
func (l *linear[T]) row(to int, coef func(k int) float64, n int, from func(k int) int) {
	count := 0
	for k := range n {
		if c := coef(k); c != 0 {
			l.terms = append(l.terms, term[T]{from(k), T(c)})
			count++
		}
	}
	l.outs = append(l.outs, [2]int{to, count})
}

// apply computes n ≤ unit groups of all outputs. With an epilogue the sums go
// through it; its residual lies as dst does.
func (l *linear[T]) apply(dst, src blocks[T], n int, post *epilogue[T]) {
	if l32, ok := any(l).(*linear[float32]); ok {
		d := blocks[float32]{f32(dst.at), dst.step, dst.next}
		s := blocks[float32]{f32(src.at), src.step, src.next}
		e := epilogue[float32]{f32(post.scale), f32(post.shift), f32(post.residual), float32(post.floor)}
		if apply32(l32, d, s, n, &e) {
			return
		}
	}
	terms := l.terms
	for _, o := range l.outs {
		for g := range n {
			var sum [group]T
			for _, t := range terms[:o[1]] {
				for i, v := range src.at[t.from*src.step+g*src.next:][:group] {
					sum[i] += t.coef * v
				}
			}
			at := o[0]*dst.step + g*dst.next
			if post.scale == nil {
				copy(dst.at[at:][:group], sum[:])
				continue
			}
			e := epilogue[T]{post.scale[g*group:], post.shift[g*group:], post.residual, post.floor}
			e.row(dst.at[at:], sum[:], at)
		}
		terms = terms[o[1]:]
	}
}

// transform is a linear map of two-dimensional arrays of blocks that is the
// product of one along the rows and one along the columns: two matrices, applied
// one after the other with mid blocks between them.
type transform[T Float] struct {
	first, second linear[T]
	mid           int
}

// spread maps an array to the larger one whose element (i, j) is
// Σ h[i][k]·x[k][l]·w[j][l], to be stored as block place(i, j); the blocks of x
// are numbered row by row.
func spread[T Float](h, w [][]float64, place func(i, j int) int) transform[T] {
	rows, cols := len(h[0]), len(w[0])
	t := transform[T]{mid: rows * len(w)}
	for k := range rows {
		for j := range w {
			t.first.row(k*len(w)+j, func(l int) float64 { return w[j][l] }, cols, func(l int) int { return k*cols + l })
		}
	}
	for j := range w {
		for i := range h {
			t.second.row(place(i, j), func(k int) float64 { return h[i][k] }, rows, func(k int) int { return k*len(w) + j })
		}
	}
	return t
}

// gather is the transpose of spread.
func gather[T Float](h, w [][]float64, place func(i, j int) int) transform[T] {
	rows, cols := len(h[0]), len(w[0])
	t := transform[T]{mid: rows * len(w)}
	for j := range w {
		for k := range rows {
			t.first.row(k*len(w)+j, func(i int) float64 { return h[i][k] }, len(h), func(i int) int { return place(i, j) })
		}
	}
	for k := range rows {
		for l := range cols {
			t.second.row(k*cols+l, func(j int) float64 { return w[j][l] }, len(w), func(j int) int { return k*len(w) + j })
		}
	}
	return t
}

// apply transforms n ≤ unit groups through scratch.
func (t *transform[T]) apply(dst, src blocks[T], n int, post *epilogue[T], scratch []T) {
	mid := blocks[T]{scratch, unit * group, group}
	t.first.apply(mid, src, n, &epilogue[T]{})
	t.second.apply(dst, mid, n, post)
}

