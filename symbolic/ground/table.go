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

// hashStep and hashEnd mix the components of a tuple.
func hashStep(h uint64, v int32) uint64 {
	return (h ^ uint64(uint32(v))) * 0x9E3779B97F4A7C15
}

func hashEnd(h uint64) uint64 { return h ^ h>>32 }

func hash(tuple []int32) uint64 {
	h := uint64(len(tuple))
	for _, v := range tuple {
		h = hashStep(h, v)
	}
	return hashEnd(h)
}

// find returns the number of a tuple, or -1.
func (t *table) find(tuple []int32) int32 {
	if t.rows == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash(tuple) & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return -1
		}
		if slices.Equal(t.row(s-1), tuple) {
			return s - 1
		}
	}
}

// insert adds a tuple unless it is there; it returns its number and whether
// it is new.
func (t *table) insert(tuple []int32) (row int32, added bool) {
	if r := t.find(tuple); r >= 0 {
		return r, false
	}
	if 2*(t.rows+1) > len(t.slots) {
		t.slots = make([]int32, max(8, 2*len(t.slots)))
		for r := range t.rows {
			t.place(int32(r))
		}
	}
	t.args = append(t.args, tuple...)
	r := int32(t.rows)
	t.rows++
	t.place(r)
	return r, true
}

func (t *table) place(r int32) {
	mask := uint64(len(t.slots) - 1)
	i := hash(t.row(r)) & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = r + 1
}
