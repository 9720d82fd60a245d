package ground

import "slices"

// table is a set of tuples of one length, stored flat and numbered in
// insertion order, with an open-addressing hash index. It costs 4 bytes a
// component and about 8 bytes a tuple.
type table struct {
	arity int
	rows  int
	args  []int32
	slots []int32 // row + 1; 0 is empty; a power of two
}

// row returns tuple i; the slice aliases the table.
func (t *table) row(i int32) []int32 {
	return t.args[int(i)*t.arity : (int(i)+1)*t.arity]
}

func hash(tuple []int32) uint64 {
	h := uint64(len(tuple))
	for _, v := range tuple {
		h = (h ^ uint64(uint32(v))) * 0x9E3779B97F4A7C15
	}
	return h ^ h>>32
}

// slot returns the slot of a tuple, or the empty one that it would have.
func (t *table) slot(tuple []int32) uint64 {
	mask := uint64(len(t.slots) - 1)
	i := hash(tuple) & mask
	for t.slots[i] != 0 && !slices.Equal(t.row(t.slots[i]-1), tuple) {
		i = (i + 1) & mask
	}
	return i
}

// find returns the number of a tuple, or -1.
func (t *table) find(tuple []int32) int32 {
	if t.rows == 0 {
		return -1
	}
	return t.slots[t.slot(tuple)] - 1
}

// insert adds a tuple unless it is there; it returns its number and whether
// it is new.
func (t *table) insert(tuple []int32) (row int32, added bool) {
	if 2*(t.rows+1) > len(t.slots) {
		t.slots = make([]int32, max(8, 2*len(t.slots)))
		for r := range t.rows {
			t.slots[t.slot(t.row(int32(r)))] = int32(r) + 1
		}
	}
	at := t.slot(tuple)
	if r := t.slots[at] - 1; r >= 0 {
		return r, false
	}
	t.args = append(t.args, tuple...)
	t.rows++
	t.slots[at] = int32(t.rows)
	return int32(t.rows) - 1, true
}
