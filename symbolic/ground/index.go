package ground

import (
	"math/bits"
	"sync"
)

// view is the domain of a join atom: the rows of a predicate or, for an atom with summation
// variables, the groups of rows that agree on the other columns. Item i is represented by row
// rep[i]; a nil rep is the identity.
type view struct {
	t     *table
	items int
	rep   []int32
}

func (v *view) row(item int32) []int32 {
	if v.rep != nil {
		item = v.rep[item]
	}
	return v.t.row(item)
}

// index groups the items of a view by the values of some columns, which are the table of the groups.
type index struct {
	table
	first []int32 // first[g] is an item that shows the values of group g
	start []int32 // members[start[g]:start[g+1]] are the items of group g
	items []int32
}

// newIndex sorts the items by group in one pass to number the groups and one
// to fill them; members keep their order.
func newIndex(v *view, cols []int) *index {
	ix := &index{table: table{arity: len(cols)}}
	group, key := make([]int32, v.items), make([]int32, len(cols))
	var count []int32
	for i := range group {
		row := v.row(int32(i))
		for k, c := range cols {
			key[k] = row[c]
		}
		g, added := ix.insert(key)
		if added {
			ix.first, count = append(ix.first, int32(i)), append(count, 0)
		}
		count[g]++
		group[i] = g
	}
	ix.start = make([]int32, len(count)+1)
	for g, n := range count {
		ix.start[g+1] = ix.start[g] + n
		count[g] = ix.start[g]
	}
	ix.items = make([]int32, v.items)
	for i, g := range group {
		ix.items[count[g]] = int32(i)
		count[g]++
	}
	return ix
}

// members returns the items of group g, in order.
func (ix *index) members(g int32) []int32 { return ix.items[ix.start[g]:ix.start[g+1]] }

// columns turns a column set into a list.
func columns(mask uint64) []int {
	cols := make([]int, 0, bits.OnesCount64(mask))
	for ; mask != 0; mask &= mask - 1 {
		cols = append(cols, bits.TrailingZeros64(mask))
	}
	return cols
}

// indexes caches, during one Ground, the indexes, views and column statistics
// of the predicates. It may be used by several goroutines.
type indexes struct {
	mu    sync.Mutex
	cache map[indexKey]func() *index
	stats map[*predicate][]float64
}

// indexKey names an index on the columns by; over is the set of columns that
// the items show, or everything for a plain view.
type indexKey struct {
	p        *predicate
	over, by uint64
}

const everything = ^uint64(0)

// plain is the view of all rows of a predicate.
func plain(p *predicate) *view { return &view{t: &p.table, items: p.rows} }

// on returns the index of a plain view by some columns.
func (s *indexes) on(p *predicate, by uint64) *index {
	return s.get(indexKey{p, everything, by}, func() *view { return plain(p) })
}

// projection returns the view whose items are the groups of rows that agree on
// the columns over, and the index that holds their rows.
func (s *indexes) projection(p *predicate, over uint64) (*view, *index) {
	ix := s.on(p, over)
	return &view{t: &p.table, items: len(ix.first), rep: ix.first}, ix
}

func (s *indexes) get(key indexKey, of func() *view) *index {
	s.mu.Lock()
	if s.cache == nil {
		s.cache = map[indexKey]func() *index{}
	}
	ix := s.cache[key]
	if ix == nil {
		ix = sync.OnceValue(func() *index { return newIndex(of(), columns(key.by)) })
		s.cache[key] = ix
	}
	s.mu.Unlock()
	return ix()
}

// distinct returns the number of different constants in each column.
func (s *indexes) distinct(p *predicate, constants int) []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.stats[p]; ok {
		return d
	}
	d := make([]float64, p.arity)
	seen := make([]bool, constants)
	for c := range d {
		clear(seen)
		for i := c; i < len(p.args); i += p.arity {
			if !seen[p.args[i]] {
				seen[p.args[i]] = true
				d[c]++
			}
		}
	}
	if s.stats == nil {
		s.stats = map[*predicate][]float64{}
	}
	s.stats[p] = d
	return d
}
