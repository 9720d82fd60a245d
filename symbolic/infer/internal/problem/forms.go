package problem

import (
	"math"
	"slices"
	"sync"

	"hinge/symbolic/lcqp"
)

// Forms are the distinct left-hand sides a_g of several targets, up to a
// factor: the first coefficient of each is 1. Rows share them: a row of several
// targets is coef·(a_g·y) + b, a row of one target coef·y_i + b. They follow
// from the pattern alone and are shared by all instances that have it.
type Forms struct {
	targets  int
	Ptr, Col []int32
	Val      []float64

	byTarget    sync.Once
	colPtr, row []int32 // see ByTarget
}

func (g *Forms) Len() int { return len(g.Ptr) - 1 }

// formTable finds forms by their contents while a layout is made.
type formTable struct {
	*Forms
	slots []int32 // hash table: form + 1
}

// reset starts with no forms.
func (t *formTable) reset(g *Forms) {
	t.Forms = g
	g.Ptr = append(g.Ptr[:0], 0)
	t.slots = Resize(t.slots, max(len(t.slots), 64))
	clear(t.slots)
}

// find returns the form of a left-hand side, making one if there is none.
func (t *formTable) find(col []int32, val []float64) int32 {
	if 2*t.Len() >= len(t.slots) {
		t.grow()
	}
	g, first := t.Forms, val[0]
	at, found := t.slot(col, val, first)
	if found {
		return t.slots[at] - 1
	}
	for j, c := range col {
		g.Col = append(g.Col, c)
		g.Val = append(g.Val, val[j]/first)
	}
	g.Ptr = append(g.Ptr, int32(len(g.Col)))
	t.slots[at] = int32(g.Len())
	return int32(g.Len() - 1)
}

// slot returns the place of a left-hand side over first in the table, or a free
// one for it.
func (t *formTable) slot(col []int32, val []float64, first float64) (at uint64, found bool) {
	hash := uint64(len(col))
	for j, c := range col {
		hash = mix(hash, uint64(c))
		hash = mix(hash, math.Float64bits(val[j]/first))
	}
	mask := uint64(len(t.slots) - 1)
	for at = hash & mask; t.slots[at] != 0; at = (at + 1) & mask {
		if t.same(t.slots[at]-1, col, val, first) {
			return at, true
		}
	}
	return at, false
}

func (t *formTable) same(id int32, col []int32, val []float64, first float64) bool {
	from, to := t.Ptr[id], t.Ptr[id+1]
	if int(to-from) != len(col) {
		return false
	}
	for j, c := range col {
		if t.Col[from+int32(j)] != c || t.Val[from+int32(j)] != val[j]/first {
			return false
		}
	}
	return true
}

// multiple reports whether a left-hand side is a multiple of a form up to rounding, as .3·x + .9·y
// is of .1·x + .3·y.
func (t *formTable) multiple(id int32, col []int32, val []float64) bool {
	from, to := t.Ptr[id], t.Ptr[id+1]
	if !slices.Equal(t.Col[from:to], col) {
		return false
	}
	for j, v := range t.Val[from:to] {
		if math.Abs(val[j]/val[0]-v) > 1e-15*math.Abs(v) {
			return false
		}
	}
	return true
}

func (t *formTable) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	for id := range t.Len() {
		from, to := t.Ptr[id], t.Ptr[id+1]
		at, _ := t.slot(t.Col[from:to], t.Val[from:to], 1)
		t.slots[at] = int32(id + 1)
	}
}

// finish ends a list of forms over targets.
func (g *Forms) finish(targets int) { g.targets, g.byTarget = targets, sync.Once{} }

// ByTarget returns the forms of each target: those of target i are row[ptr[i]:ptr[i+1]].
func (g *Forms) ByTarget() (ptr, row []int32) {
	g.byTarget.Do(func() {
		g.colPtr, g.row = Resize(g.colPtr, g.targets+1), Resize(g.row, len(g.Col))
		lcqp.Transpose(g.targets, g.Ptr, g.Col, nil, g.colPtr, g.row, nil)
	})
	return g.colPtr, g.row
}

// Sides writes the values at y of all left-hand sides: the targets, then the forms.
func (g *Forms) Sides(y, side []float64) {
	copy(side, y)
	rest := side[len(y):]
	for k := range g.Len() {
		rest[k] = g.Apply(k, y)
	}
}

// mix stirs v into a hash.
func mix(hash, v uint64) uint64 {
	hash = (hash ^ v) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

// Pair returns the targets a and b of a form y_a + v·y_b.
func (g *Forms) Pair(k int32) (a, b int32, v float64) {
	at := g.Ptr[k]
	col := (*[2]int32)(g.Col[at:])
	return col[0], col[1], g.Val[at+1]
}

// Apply returns a_g·y.
func (g *Forms) Apply(k int, y []float64) float64 {
	v := 0.0
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		v += g.Val[j] * y[g.Col[j]]
	}
	return v
}

// Spread adds v·a_g to out.
func (g *Forms) Spread(k int, v float64, out []float64) {
	from, to := g.Ptr[k], g.Ptr[k+1]
	val := g.Val[from:to]
	for j, c := range g.Col[from:to] {
		out[c] += val[j] * v
	}
}
