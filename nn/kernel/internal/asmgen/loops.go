package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// forEach runs body over n elements in groups of unroll vectors, then single
// vectors, and advances the pointers; the last n mod lanes elements are left.
// body gets the displacement of its vector.
func (s isa) forEach(name string, n reg.GPVirtual, unroll int, ptrs []reg.GPVirtual, body func(disp int)) {
	for _, u := range []int{unroll, 1} {
		top, end := fmt.Sprintf("%s%d", name, u), fmt.Sprintf("%s%dend", name, u)
		step := u * s.lanes
		SUBQ(U32(step), n)
		JL(LabelRef(end))
		Label(top)
		for i := range u {
			body(i * s.bytes())
		}
		for _, p := range ptrs {
			ADDQ(U32(4*step), p)
		}
		SUBQ(U32(step), n)
		JGE(LabelRef(top))
		Label(end)
		ADDQ(U32(step), n)
	}
}

// forRows runs body once for every vector of columns of every row of matrices
// with c columns; columns past the last full vector are left. row is called at
// the head of each row, and body gets the byte offset of its vector in the row.
func (s isa) forRows(name string, rows, c reg.GPVirtual, matrices []reg.GPVirtual, body func(col reg.GPVirtual)) {
	end := GP64()
	MOVQ(c, end)
	SHLQ(Imm(2), end)
	ANDQ(I32(-s.bytes()), end)
	JZ(LabelRef(name + "end"))
	TESTQ(rows, rows)
	JZ(LabelRef(name + "end"))
	Label(name + "row")
	col := GP64()
	XORQ(col, col)
	Label(name + "col")
	body(col)
	ADDQ(U32(s.bytes()), col)
	CMPQ(col, end)
	JL(LabelRef(name + "col"))
	stride := bytesOf("c")
	for _, m := range matrices {
		ADDQ(stride, m)
	}
	DECQ(rows)
	JNZ(LabelRef(name + "row"))
	Label(name + "end")
}

// forColumns runs body for column groups of `group` vectors over all rows, then
// for single vectors. body emits a whole loop over rows for nv vectors of
// columns; the pointers have then to be where they were, and are advanced here.
func (s isa) forColumns(name string, cols reg.GPVirtual, group int, ptrs []reg.GPVirtual, body func(label string, nv int)) {
	for _, g := range []int{group, 1} {
		label := fmt.Sprintf("%s%d", name, g)
		step := g * s.lanes
		SUBQ(U32(step), cols)
		JL(LabelRef(label + "end"))
		Label(label + "group")
		body(label, g)
		for _, p := range ptrs {
			ADDQ(U32(4*step), p)
		}
		SUBQ(U32(step), cols)
		JGE(LabelRef(label + "group"))
		Label(label + "end")
		ADDQ(U32(step), cols)
	}
}

// col is the memory operand base + col.
func colAt(base, col reg.Register) Mem { return Mem{Base: base, Index: col, Scale: 1} }

// broadcast loads a float32 parameter into all lanes.
func (s isa) broadcast(name string) reg.VecVirtual {
	v := s.vec()
	VBROADCASTSS(addr(name), v)
	return v
}

// load reads a vector.
func (s isa) load(m Mem) reg.VecVirtual {
	v := s.vec()
	VMOVUPS(m, v)
	return v
}

// keepPositive clears the lanes of v where y is not greater than zero.
func (s isa) keepPositive(v, y, zero reg.VecVirtual) {
	const greaterQuiet = 30
	mask := s.vec()
	VCMPPS(Imm(greaterQuiet), zero, y, mask)
	VANDPS(mask, v, v)
}

func finish() {
	VZEROUPPER()
	RET()
}
