package infer

import "math"

// forms are the distinct left-hand sides a_g of several targets, up to a
// factor: the first coefficient of each is 1. Rows share them: a row of several
// targets is coef·(a_g·y) + b, a row of one target coef·y_i + b. They follow
// from the pattern alone and are shared by all instances that have it.
type forms struct {
	targets int
	// ptr, col, val are the forms, colPtr, colRow, colVal the same by target.
	ptr, col       []int32
	val            []float64
	colPtr, colRow []int32
	colVal         []float64
	byLength       // all of them
}

// byLength are forms of two targets, of three, of four, and others: loops over those
// of one length are fast.
type byLength struct{ pairs, triples, quads, others []int32 }

func (b *byLength) reset() {
	b.pairs, b.triples, b.quads, b.others = b.pairs[:0], b.triples[:0], b.quads[:0], b.others[:0]
}

// add adds form k, of n targets.
func (b *byLength) add(k, n int32) {
	switch n {
	case 2:
		b.pairs = append(b.pairs, k)
	case 3:
		b.triples = append(b.triples, k)
	case 4:
		b.quads = append(b.quads, k)
	default:
		b.others = append(b.others, k)
	}
}

func (g *forms) len() int { return len(g.ptr) - 1 }

// formTable finds forms by their contents while a layout is made.
type formTable struct {
	*forms
	slots []int32 // hash table: form + 1
}

// reset starts with no forms.
func (t *formTable) reset(g *forms) {
	t.forms = g
	g.ptr = append(g.ptr[:0], 0)
	t.slots = resize(t.slots, max(len(t.slots), 64))
	clear(t.slots)
}

// find returns the form of a left-hand side, making one if there is none.
func (t *formTable) find(col []int32, val []float64) int32 {
	if 2*t.len() >= len(t.slots) {
		t.grow()
	}
	g, first := t.forms, val[0]
	at, found := t.slot(col, val, first)
	if found {
		return t.slots[at] - 1
	}
	for j, c := range col {
		g.col = append(g.col, c)
		g.val = append(g.val, val[j]/first)
	}
	g.ptr = append(g.ptr, int32(len(g.col)))
	t.slots[at] = int32(g.len())
	return int32(g.len() - 1)
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
	from, to := t.ptr[id], t.ptr[id+1]
	if int(to-from) != len(col) {
		return false
	}
	for j, c := range col {
		if t.col[from+int32(j)] != c || t.val[from+int32(j)] != val[j]/first {
			return false
		}
	}
	return true
}

func (t *formTable) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	for id := range t.len() {
		from, to := t.ptr[id], t.ptr[id+1]
		at, _ := t.slot(t.col[from:to], t.val[from:to], 1)
		t.slots[at] = int32(id + 1)
	}
}

// finish adds the forms by target.
func (g *forms) finish(targets int) {
	g.targets = targets
	g.colPtr = resize(g.colPtr, targets+1)
	g.colRow, g.colVal = resize(g.colRow, len(g.col)), resize(g.colVal, len(g.col))
	transpose(targets, g.ptr, g.col, g.val, g.colPtr, g.colRow, g.colVal)
	g.byLength.reset()
	for k := range int32(g.len()) {
		g.byLength.add(k, g.ptr[k+1]-g.ptr[k])
	}
}

// sides writes the values at y of all left-hand sides: the targets, then the forms.
func (g *forms) sides(y, side []float64) { g.byLength.sides(g, y, side) }

// sides writes y and, behind it, the values at y of these forms of g.
func (b *byLength) sides(g *forms, y, side []float64) {
	copy(side, y)
	rest := side[len(y):]
	for _, k := range b.pairs {
		from := g.ptr[k]
		col, val := g.col[from:from+2], g.val[from:from+2]
		rest[k] = val[0]*y[col[0]] + val[1]*y[col[1]]
	}
	for _, k := range b.triples {
		from := g.ptr[k]
		col, val := g.col[from:from+3], g.val[from:from+3]
		rest[k] = val[0]*y[col[0]] + val[1]*y[col[1]] + val[2]*y[col[2]]
	}
	for _, k := range b.quads {
		from := g.ptr[k]
		col, val := g.col[from:from+4], g.val[from:from+4]
		rest[k] = val[0]*y[col[0]] + val[1]*y[col[1]] + val[2]*y[col[2]] + val[3]*y[col[3]]
	}
	for _, k := range b.others {
		rest[k] = g.apply(int(k), y)
	}
}

// mix stirs v into a hash.
func mix(hash, v uint64) uint64 {
	hash = (hash ^ v) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

// apply returns a_g·y.
func (g *forms) apply(k int, y []float64) float64 {
	v := 0.0
	for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
		v += g.val[j] * y[g.col[j]]
	}
	return v
}

// spread adds v·a_g to out.
func (g *forms) spread(k int, v float64, out []float64) {
	from, to := g.ptr[k], g.ptr[k+1]
	val := g.val[from:to]
	for j, c := range g.col[from:to] {
		out[c] += val[j] * v
	}
}
