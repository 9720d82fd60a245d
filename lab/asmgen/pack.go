package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genPack writes the packing of one full panel, for all panel widths. Packing moves
// memory and has no use for wider vectors.
func genPack(a architecture) {
	for _, to := range a.isas {
		s := a.base()
		s.nv = to.nr() / s.lanes
		s.packRows()
		s.packCols()
	}
	a.base().moveRows()
}

// packRows copies rows of nr elements.
func (s isa) packRows() {
	s.begin(fmt.Sprintf("packRows%d", s.nr()), "rows int, dst, src *float32, ld int", fmt.Sprintf("copies rows of %d elements, ld apart in src, to dst without gaps.", s.nr()))
	rows, dst, src, ld := ptr("rows"), ptr("dst"), ptr("src"), bytesOf("ld")
	one := func(disp int) {
		s.stores(s.loads(src, s.nv), at(dst, disp))
		s.inc(ld, src)
	}
	s.takeOrJump(4, rows, "rest")
	mark("four")
	for i := range 4 {
		one(i * s.rowBytes())
	}
	s.inc(U32(4*s.rowBytes()), dst)
	s.takeAndJump(4, rows, "four")
	mark("rest")
	s.inc(Imm(4), rows)
	s.jumpZero(rows, "end")
	mark("one")
	one(0)
	s.inc(U32(s.rowBytes()), dst)
	s.countdown(rows, "one")
	mark("end")
	s.ret()
}

// packCols transposes eight columns of nr rows at a time, in blocks of eight columns and
// as many rows as a vector has elements, and asks for what lies ahead elements further
// on: the next call's rows, which are too far away for the processor to foresee.
func (s isa) packCols() {
	s.begin(fmt.Sprintf("packCols%d", s.nr()), "k int, dst, src *float32, ld, ahead int", fmt.Sprintf("is packCols on the first k&^7 columns of %d rows.", s.nr()))
	k, dst, src, ld := ptr("k"), ptr("dst"), ptr("src"), bytesOf("ld")
	s.takeOrJump(8, k, "end")
	mark("block")
	row := copied(src)
	for j := 0; j < s.nr(); j += s.lanes {
		s.prefetchRows(row, ld)
		s.transpose(row, ld, dst, 4*j)
	}
	s.inc(Imm(32), src)
	s.inc(U32(8*s.rowBytes()), dst)
	s.takeAndJump(8, k, "block")
	mark("end")
	s.ret()
}

// prefetchRows asks for the start of the rows of a block that lies ahead of row.
func (s isa) prefetchRows(row, ld reg.GPVirtual) {
	p := bytesOf("ahead")
	s.inc(row, p)
	for i := range s.lanes {
		if i > 0 {
			s.inc(ld, p)
		}
		s.prefetch(at(p, 0))
	}
}

// transpose writes the block whose rows are ld apart from row to dst+disp, transposed,
// and moves row down to the next.
func (s isa) transpose(row, ld, dst reg.GPVirtual, disp int) {
	var quads []reg.GPVirtual // each fourth row
	for i := 0; i < s.lanes; i += 4 {
		quads = append(quads, row)
		next := gp()
		s.lea(Mem{Base: row, Index: ld, Scale: 4}, next)
		row = next
	}
	ld3 := gp()
	s.lea(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	for c := 0; c < 8; c += 4 {
		// Row i beside row i+4 and so on, four columns of each.
		a := s.vecs(4)
		for i := range a {
			var from []Mem
			for _, q := range quads {
				m := at(q, 4*c)
				if i == 3 {
					m.Index, m.Scale = ld3, 1
				} else if i > 0 {
					m.Index, m.Scale = ld, uint8(i)
				}
				from = append(from, m)
			}
			s.joinTo(from, a[i])
		}
		t := s.vecs(4)
		for i := range t {
			s.zip(i%2 == 1, a[i&^1], a[i|1], t[i])
		}
		for i := range 4 {
			v := s.vec()
			s.zipPairs(i%2 == 1, t[i/2], t[2+i/2], v)
			s.store(v, at(dst, disp+(c+i)*s.rowBytes()))
		}
	}
	s.move(row, quads[0])
}

// moveRows copies rows of at least eight elements. The last vector of a row
// overlaps the one before.
func (s isa) moveRows() {
	s.begin("moveRows", "rows, n int, dst *float32, ldd int, src *float32, lds int", "copies at least one row of n ≥ 8 elements; rows are ldd and lds apart.")
	rows, dst, src, ldd, lds := ptr("rows"), ptr("dst"), ptr("src"), bytesOf("ldd"), bytesOf("lds")
	last, col := bytesOf("n"), gp()
	s.dec(Imm(uint64(s.bytes())), last)
	mark("row")
	s.zeroInt(col)
	mark("col")
	s.store(s.load(colAt(src, col)), colAt(dst, col))
	s.inc(Imm(uint64(s.bytes())), col)
	s.jumpLess(col, last, "col")
	s.store(s.load(colAt(src, last)), colAt(dst, last))
	s.inc(ldd, dst)
	s.inc(lds, src)
	s.countdown(rows, "row")
	s.ret()
}
