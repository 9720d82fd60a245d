package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// forEach runs body over n elements in groups of unroll vectors, then single
// vectors, and advances the pointers; the last n mod 8 elements are left.
// body gets the displacement of its vector.
func (s isa) forEach(name string, n reg.GPVirtual, unroll int, ptrs []reg.GPVirtual, body func(disp int)) {
	s.eights(n)
	for _, u := range []int{unroll, 1} {
		top, end := fmt.Sprintf("%s%d", name, u), fmt.Sprintf("%s%dend", name, u)
		step := u * s.lanes
		s.takeOrJump(step, n, end)
		mark(top)
		for i := range u {
			body(i * s.bytes())
		}
		for _, p := range ptrs {
			s.inc(U32(4*step), p)
		}
		s.takeAndJump(step, n, top)
		mark(end)
		s.inc(U32(step), n)
	}
}

// eights rounds a number of elements down to eights, which is what all instruction sets
// leave to their caller.
func (s isa) eights(n reg.GPVirtual) {
	if s.lanes < 8 {
		s.roundDown(8, n)
	}
}

// forRows runs body once for every vector of columns of every row of matrices
// with c columns; the last c mod 8 columns are left. It
// gives body the byte offset of its vector in the row.
func (s isa) forRows(name string, rows, c reg.GPVirtual, matrices []reg.GPVirtual, body func(col reg.GPVirtual)) {
	end := gp()
	s.move(c, end)
	s.shiftLeft(2, end)
	s.roundDown(4*max(s.lanes, 8), end)
	s.jumpZero(end, name+"end")
	s.jumpZero(rows, name+"end")
	mark(name + "row")
	col := gp()
	s.zeroInt(col)
	mark(name + "col")
	body(col)
	s.inc(U32(s.bytes()), col)
	s.jumpLess(col, end, name+"col")
	stride := bytesOf("c")
	for _, m := range matrices {
		s.inc(stride, m)
	}
	s.countdown(rows, name+"row")
	mark(name + "end")
}

// forColumns runs body for column groups of `group` vectors over all rows, then
// for single vectors. body emits a whole loop over rows for nv vectors of
// columns; the pointers have then to be where they were, and are advanced here.
func (s isa) forColumns(name string, cols reg.GPVirtual, group int, ptrs []reg.GPVirtual, body func(label string, nv int)) {
	s.eights(cols)
	for _, g := range []int{group, 1} {
		label := fmt.Sprintf("%s%d", name, g)
		step := g * s.lanes
		s.takeOrJump(step, cols, label+"end")
		mark(label + "group")
		body(label, g)
		for _, p := range ptrs {
			s.inc(U32(4*step), p)
		}
		s.takeAndJump(step, cols, label+"group")
		mark(label + "end")
		s.inc(U32(step), cols)
	}
}

// broadcast loads a float32 parameter into all lanes.
func (s isa) broadcast(name string) reg.VecVirtual {
	v := s.vec()
	s.broadcastTo(addr(name), v)
	return v
}

// load reads a vector.
func (s isa) load(m Mem) reg.VecVirtual {
	v := s.vec()
	s.loadTo(m, v)
	return v
}
