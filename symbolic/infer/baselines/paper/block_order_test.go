package paper

import (
	"slices"
	"testing"
)

// Equal seeds give equal permutations whatever the order was used for before,
// other seeds others, and every sweep another.
func TestBlockOrder(t *testing.T) {
	const n = 40
	var fresh, used, other blockOrder
	used.reset(9, 3*n)
	used.shuffle()
	for _, o := range []*blockOrder{&fresh, &used} {
		o.reset(1, n)
	}
	other.reset(2, n)
	rows := slices.Clone(fresh.blocks)
	if !slices.IsSorted(rows) || rows[0] != 0 || rows[n-1] != n-1 {
		t.Fatalf("begins with %v, want the order of the rows", rows)
	}
	var before []int32
	for sweep := range 5 {
		fresh.shuffle()
		used.shuffle()
		other.shuffle()
		switch {
		case !slices.Equal(fresh.blocks, used.blocks):
			t.Errorf("sweep %d: one seed, orders %v and %v", sweep, fresh.blocks, used.blocks)
		case slices.Equal(fresh.blocks, other.blocks):
			t.Errorf("sweep %d: two seeds, one order", sweep)
		case slices.Equal(fresh.blocks, before):
			t.Errorf("sweep %d: that of the sweep before", sweep)
		case !slices.Equal(slices.Sorted(slices.Values(fresh.blocks)), rows):
			t.Errorf("sweep %d: %v is no permutation", sweep, fresh.blocks)
		}
		before = slices.Clone(fresh.blocks)
	}
}
