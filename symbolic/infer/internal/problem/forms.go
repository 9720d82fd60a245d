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
	known map[uint64]int32 // by hash; of several forms with one hash the last
}

// reset starts with no forms.
func (t *formTable) reset(g *Forms) {
	t.Forms = g
	g.Ptr = append(g.Ptr[:0], 0)
	if t.known == nil {
		t.known = map[uint64]int32{}
	}
	clear(t.known)
}

// find returns the form of a left-hand side, making one if there is none.
func (t *formTable) find(col []int32, val []float64) int32 {
	g, first, hash := t.Forms, val[0], uint64(len(col))
	for j, c := range col {
		hash = mix(hash, uint64(c))
		hash = mix(hash, math.Float64bits(val[j]/first))
	}
	if id, ok := t.known[hash]; ok && t.multiple(id, col, val, 0) {
		return id
	}
	for j, c := range col {
		g.Col = append(g.Col, c)
		g.Val = append(g.Val, val[j]/first)
	}
	id := int32(g.Len())
	g.Ptr, t.known[hash] = append(g.Ptr, int32(len(g.Col))), id
	return id
}

// multiple reports whether a left-hand side is a multiple of a form, up to an error relative to each
// coefficient, as .3·x + .9·y is of .1·x + .3·y up to rounding.
func (t *formTable) multiple(id int32, col []int32, val []float64, tolerance float64) bool {
	from, to := t.Ptr[id], t.Ptr[id+1]
	if !slices.Equal(t.Col[from:to], col) {
		return false
	}
	for j, v := range t.Val[from:to] {
		if math.Abs(val[j]/val[0]-v) > tolerance*math.Abs(v) {
			return false
		}
	}
	return true
}

// finish ends a list of forms over targets.
func (g *Forms) finish(targets int) { g.targets, g.byTarget = targets, sync.Once{} }

// ByTarget returns the forms of each target: those of target i are row[ptr[i]:ptr[i+1]].
func (g *Forms) ByTarget() (ptr, row []int32) {
	g.byTarget.Do(func() {
		g.colPtr, g.row = Resize(g.colPtr, g.targets+1), Resize(g.row, len(g.Col))
		lcqp.Transpose(g.targets, g.Ptr, g.Col, g.colPtr, g.row)
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
