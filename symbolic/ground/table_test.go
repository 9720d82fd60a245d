package ground

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTable compares a table with a map under random insertions.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, arity := range []int{1, 2, 5} {
		tab := table{arity: arity}
		if tab.find(make([]int32, arity)) != -1 {
			t.Error("a tuple in the empty table")
		}
		rows := map[string]int32{}
		for range 3000 {
			tuple := make([]int32, arity)
			for i := range tuple {
				tuple[i] = int32(rng.IntN(40))
			}
			key := fmt.Sprint(tuple)
			want, known := rows[key]
			got := tab.find(tuple)
			if !known {
				want = -1
			}
			if got != want {
				t.Fatalf("find(%v) = %d, want %d", tuple, got, want)
			}
			row, added := tab.insert(tuple)
			if added == known || known && row != want || !known && int(row) != len(rows) {
				t.Fatalf("insert(%v) = %d, %v; known %v as %d", tuple, row, added, known, want)
			}
			rows[key] = row
			if !slices.Equal(tab.row(row), tuple) {
				t.Fatalf("row %d is %v, want %v", row, tab.row(row), tuple)
			}
		}
		if tab.rows != len(rows) {
			t.Errorf("%d rows, want %d", tab.rows, len(rows))
		}
	}
}

// TestIndex compares the groups of an index with a search through all rows,
// also of an index on a projection.
func TestIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := &predicate{}
	p.arity = 4
	for range 500 {
		p.insert([]int32{int32(rng.IntN(6)), int32(rng.IntN(9)), int32(rng.IntN(4)), int32(rng.IntN(20))})
	}
	var ix indexes
	check := func(name string, got *index, v *view, cols []int) {
		t.Helper()
		groups := map[string][]int32{}
		keys := map[string][]int32{}
		for i := range int32(v.items) {
			var key []int32
			for _, c := range cols {
				key = append(key, v.row(i)[c])
			}
			k := fmt.Sprint(key)
			groups[k] = append(groups[k], i)
			keys[k] = key
		}
		if len(groups) != len(got.first) {
			t.Errorf("%s: %d groups, want %d", name, len(got.first), len(groups))
		}
		for k, key := range keys {
			g := got.find(key)
			if g < 0 || !slices.Equal(got.members(g), groups[k]) {
				t.Errorf("%s: the members of %v are wrong", name, key)
			}
		}
		absent := make([]int32, len(cols))
		for i := range absent {
			absent[i] = 1000
		}
		if len(cols) > 0 && got.find(absent) != -1 {
			t.Errorf("%s: found a key that is not there", name)
		}
	}
	for by := range uint64(16) {
		check(fmt.Sprintf("columns %b", by), ix.on(p, by), plain(p), columns(by))
	}
	v, rows := ix.projection(p, 0b0011)
	if v.items != len(rows.first) || v.items > 54 {
		t.Errorf("%d items in the projection", v.items)
	}
	check("projection by 0", ix.onProjection(p, 0b0011, 0b0001), v, []int{0})
	check("projection by 1", ix.onProjection(p, 0b0011, 0b0010), v, []int{1})
	if first := ix.on(p, 0b0101); first != ix.on(p, 0b0101) {
		t.Error("the same index was built twice")
	}
	d := ix.distinct(p, 20)
	for c := range p.arity {
		seen := map[int32]bool{}
		for i := range int32(p.rows) {
			seen[p.row(i)[c]] = true
		}
		if d[c] != float64(len(seen)) {
			t.Errorf("column %d has %v different constants, want %d", c, d[c], len(seen))
		}
	}
	empty := &predicate{}
	empty.arity = 2
	if g := ix.on(empty, 0b01).find([]int32{0}); g != -1 {
		t.Errorf("group %d of an empty predicate", g)
	}
	if g := ix.on(empty, 0).find(nil); g != -1 {
		t.Errorf("group %d of an empty predicate without columns", g)
	}
}
