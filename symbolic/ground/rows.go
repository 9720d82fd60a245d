package ground

import "hinge/symbolic/hlmrf"

// chunks is a list that grows without moving its elements, so that memory never exceeds its
// content by more than one chunk.
type chunks[T any] struct {
	full [][]T
	last []T
	n    int
}

const (
	firstChunk = 1 << 6
	maxChunk   = 1 << 16
)

func (c *chunks[T]) add(v T) {
	if len(c.last) == cap(c.last) {
		size := firstChunk
		if c.last != nil {
			c.full = append(c.full, c.last)
			size = min(2*cap(c.last), maxChunk)
		}
		c.last = make([]T, 0, size)
	}
	c.last = append(c.last, v)
	c.n++
}

// drain appends the content to dst and forgets it chunk by chunk.
func (c *chunks[T]) drain(dst []T) []T {
	for i, f := range c.full {
		dst = append(dst, f...)
		c.full[i] = nil
	}
	dst = append(dst, c.last...)
	*c = chunks[T]{}
	return dst
}

// entry is a column with its coefficient.
type entry struct {
	col int32
	val float64
}

// rowList collects the rows of one rule; rows keep their lengths, not their
// starts, until they are joined.
type rowList struct {
	col, deepCol   chunks[int32]
	val, deepVal   chunks[float64]
	size, deepSize chunks[int32]
	constant       chunks[float64]
}

// add appends a row times sign, leaving out zero coefficients. Entries are
// sorted by column, without repetition.
func (l *rowList) add(targets, deep []entry, k, sign float64) {
	l.size.add(addEntries(&l.col, &l.val, targets, sign))
	l.deepSize.add(addEntries(&l.deepCol, &l.deepVal, deep, sign))
	l.constant.add(k*sign + 0) // + 0 turns -0 into 0
}

func addEntries(col *chunks[int32], val *chunks[float64], es []entry, sign float64) int32 {
	n := int32(0)
	for _, e := range es {
		if e.val != 0 {
			col.add(e.col)
			val.add(e.val * sign)
			n++
		}
	}
	return n
}

// join moves the rows of all lists, in order, into one hlmrf.Rows, array by
// array, so that no more than one array exists twice.
func join(lists []*rowList) hlmrf.Rows {
	var r hlmrf.Rows
	n := 0
	for _, l := range lists {
		n += l.constant.n
	}
	if n == 0 {
		return r
	}
	r.Ptr = starts(n, lists, func(l *rowList) *chunks[int32] { return &l.size })
	r.DeepPtr = starts(n, lists, func(l *rowList) *chunks[int32] { return &l.deepSize })
	r.Col = concat(lists, func(l *rowList) *chunks[int32] { return &l.col })
	r.Val = concat(lists, func(l *rowList) *chunks[float64] { return &l.val })
	r.DeepCol = concat(lists, func(l *rowList) *chunks[int32] { return &l.deepCol })
	r.DeepVal = concat(lists, func(l *rowList) *chunks[float64] { return &l.deepVal })
	r.Const = concat(lists, func(l *rowList) *chunks[float64] { return &l.constant })
	return r
}

func concat[T any](lists []*rowList, of func(*rowList) *chunks[T]) []T {
	n := 0
	for _, l := range lists {
		n += of(l).n
	}
	if n == 0 {
		return nil
	}
	all := make([]T, 0, n)
	for _, l := range lists {
		all = of(l).drain(all)
	}
	return all
}

// starts turns row lengths into row starts.
func starts(n int, lists []*rowList, of func(*rowList) *chunks[int32]) []int32 {
	ptr := make([]int32, 1, n+1)
	sum := int32(0)
	for _, l := range lists {
		c := of(l)
		for _, f := range append(c.full, c.last) {
			for _, size := range f {
				sum += size
				ptr = append(ptr, sum)
			}
		}
		*c = chunks[int32]{}
	}
	return ptr
}
