package lcqp

import (
	"math"
	"slices"
)

// affines are the distinct b₀ + B·g of the rows, each of which is computed once: a
// rule whose variables reach only some of its atoms gives many ground rules with
// the same neural outputs.
type affines struct {
	b0  []float64
	ptr []int32
	col []int32
	val []float64
	of  []int32 // by row; nil where nearly all rows differ: then they are the rows
}

type affinesKey struct{}

func (t *Template) affines() *affines {
	return t.Derived(affinesKey{}, func() any { return t.findAffines() }).(*affines)
}

func (t *Template) findAffines() *affines {
	n := t.Rows()
	of := make([]int32, n)
	var first []int32            // row of each
	slots := make([]int32, 1024) // hash table of them: number + 1
	place := func(k int32) *int32 {
		for at := t.affineHash(k); ; at++ {
			s := &slots[at&uint64(len(slots)-1)]
			if *s == 0 || t.sameAffine(k, first[*s-1]) {
				return s
			}
		}
	}
	for k := range int32(n) {
		s := place(k)
		if *s == 0 {
			first = append(first, k)
			*s = int32(len(first))
		}
		if 4*len(first) > n { // a second pass would take about as long as it saves, and more room
			return &affines{b0: t.B0, ptr: t.DeepPtr, col: t.DeepCol, val: t.DeepVal}
		}
		of[k] = *s - 1
		if 2*len(first) > len(slots) {
			slots = make([]int32, 2*len(slots))
			for e, row := range first {
				*place(row) = int32(e + 1)
			}
		}
	}
	// Rows of the same length follow one another, so that the processor predicts the ends of
	// loops.
	order := make([]int32, len(first))
	for e := range order {
		order[e] = int32(e)
	}
	length := func(e int32) int32 { return t.DeepPtr[first[e]+1] - t.DeepPtr[first[e]] }
	slices.SortStableFunc(order, func(d, e int32) int { return int(length(d) - length(e)) })
	a := &affines{of: of, ptr: []int32{0}}
	at := make([]int32, len(first))
	for n, e := range order {
		from, to := t.DeepPtr[first[e]], t.DeepPtr[first[e]+1]
		at[e] = int32(n)
		a.b0 = append(a.b0, t.B0[first[e]])
		a.col = append(a.col, t.DeepCol[from:to]...)
		a.val = append(a.val, t.DeepVal[from:to]...)
		a.ptr = append(a.ptr, int32(len(a.col)))
	}
	for k, e := range of {
		of[k] = at[e]
	}
	return a
}

func (t *Template) affineHash(k int32) uint64 {
	const factor = 0x9e3779b97f4a7c15
	hash := math.Float64bits(t.B0[k])
	for j := t.DeepPtr[k]; j < t.DeepPtr[k+1]; j++ {
		hash = (hash^hash>>29)*factor ^ uint64(t.DeepCol[j])
		hash = (hash^hash>>29)*factor ^ math.Float64bits(t.DeepVal[j])
	}
	return hash * factor >> 20
}

func (t *Template) sameAffine(k, l int32) bool {
	a, b := t.DeepPtr[k], t.DeepPtr[l]
	to, end := t.DeepPtr[k+1], t.DeepPtr[l+1]
	return t.B0[k] == t.B0[l] && slices.Equal(t.DeepCol[a:to], t.DeepCol[b:end]) &&
		slices.Equal(t.DeepVal[a:to], t.DeepVal[b:end])
}

// apply writes b = b₀ + B·g, one per row.
func (a *affines) apply(g, b []float64) {
	if a.of == nil {
		a.distinct(g, b)
		return
	}
	scratch := pulls.Get().(*[]float64)
	defer pulls.Put(scratch)
	v := resize(*scratch, len(a.b0))
	*scratch = v
	a.distinct(g, v)
	b = b[:len(a.of)]
	for k, e := range a.of {
		b[k] = v[e]
	}
}

func (a *affines) distinct(g, out []float64) {
	from := 0
	for e, v := range a.b0 {
		to := int(a.ptr[e+1])
		val := a.val[from:to]
		for j, c := range a.col[from:to] {
			v += val[j] * g[c]
		}
		out[e], from = v, to
	}
}
