package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genPack writes the packing of one full panel, for both panel widths. All of
// it is AVX2: packing moves memory and has no use for wider vectors.
func genPack() {
	for _, nr := range []int{avx2.nr(), avx512.nr()} {
		s := avx2
		s.nv = nr / s.lanes
		s.packRows()
		s.packCols()
	}
	avx2.moveRows()
}

// packRows copies rows of nr elements.
func (s isa) packRows() {
	s.begin(fmt.Sprintf("packRows%d", s.nr()), "rows int, dst, src *float32, ld int", fmt.Sprintf("copies rows of %d elements, ld apart in src, to dst without gaps.", s.nr()))
	rows, dst, src, ld := ptr("rows"), ptr("dst"), ptr("src"), bytesOf("ld")
	one := func(disp int) {
		s.stores(s.loads(src, s.nv), dst, disp)
		ADDQ(ld, src)
	}
	SUBQ(Imm(4), rows)
	JL(LabelRef("rest"))
	Label("four")
	for i := range 4 {
		one(i * s.row())
	}
	ADDQ(U32(4*s.row()), dst)
	SUBQ(Imm(4), rows)
	JGE(LabelRef("four"))
	Label("rest")
	ADDQ(Imm(4), rows)
	JZ(LabelRef("end"))
	Label("one")
	one(0)
	ADDQ(U32(s.row()), dst)
	DECQ(rows)
	JNZ(LabelRef("one"))
	Label("end")
	finish()
}

// packCols transposes eight columns of nr rows at a time, in 8×8 blocks, and asks
// for what lies ahead elements further on: the next call's rows, which are too far
// away for the processor to foresee.
func (s isa) packCols() {
	s.begin(fmt.Sprintf("packCols%d", s.nr()), "k int, dst, src *float32, ld, ahead int", fmt.Sprintf("is packCols on the first k&^7 columns of %d rows.", s.nr()))
	k, dst, src, ld := ptr("k"), ptr("dst"), ptr("src"), bytesOf("ld")
	SUBQ(Imm(8), k)
	JL(LabelRef("end"))
	Label("block")
	row := GP64()
	MOVQ(src, row)
	for j := 0; j < s.nr(); j += 8 {
		s.prefetch8(row, ld)
		s.transpose8(row, ld, dst, 4*j)
	}
	ADDQ(Imm(32), src)
	ADDQ(U32(8*s.row()), dst)
	SUBQ(Imm(8), k)
	JGE(LabelRef("block"))
	Label("end")
	finish()
}

// prefetch8 asks for the start of the eight rows that lie ahead of row.
func (s isa) prefetch8(row, ld reg.GPVirtual) {
	p := bytesOf("ahead")
	ADDQ(row, p)
	for i := range 8 {
		if i > 0 {
			ADDQ(ld, p)
		}
		PREFETCHT0(at(p, 0))
	}
}

// transpose8 writes the 8×8 block whose rows are ld apart from row to dst+disp,
// transposed, and moves row down by eight rows.
func (s isa) transpose8(row, ld, dst reg.GPVirtual, disp int) {
	p := make([]reg.GPVirtual, 2)
	p[0], p[1] = row, GP64()
	LEAQ(Mem{Base: row, Index: ld, Scale: 4}, p[1])
	ld3 := GP64()
	LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	cell := func(half, i, disp int) Mem {
		m := at(p[half], disp)
		if i == 3 {
			m.Index, m.Scale = ld3, 1
		} else if i > 0 {
			m.Index, m.Scale = ld, uint8(i)
		}
		return m
	}
	for c := 0; c < 8; c += 4 {
		// Row i beside row i+4, four columns of each.
		a := make([]reg.VecVirtual, 4)
		for i := range a {
			a[i] = YMM()
			VBROADCASTF128(cell(0, i, 4*c), a[i])
			VINSERTF128(Imm(1), cell(1, i, 4*c), a[i], a[i])
		}
		t := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
		VUNPCKLPS(a[1], a[0], t[0])
		VUNPCKHPS(a[1], a[0], t[1])
		VUNPCKLPS(a[3], a[2], t[2])
		VUNPCKHPS(a[3], a[2], t[3])
		for i := range 4 {
			v := YMM()
			if i%2 == 0 {
				VUNPCKLPD(t[2+i/2], t[i/2], v)
			} else {
				VUNPCKHPD(t[2+i/2], t[i/2], v)
			}
			VMOVUPS(v, at(dst, disp+(c+i)*s.row()))
		}
	}
	LEAQ(Mem{Base: row, Index: ld, Scale: 8}, row)
}

// moveRows copies rows of at least eight elements. The last vector of a row
// overlaps the one before.
func (s isa) moveRows() {
	s.begin("moveRows", "rows, n int, dst *float32, ldd int, src *float32, lds int", "copies at least one row of n ≥ 8 elements; rows are ldd and lds apart.")
	rows, dst, src, ldd, lds := ptr("rows"), ptr("dst"), ptr("src"), bytesOf("ldd"), bytesOf("lds")
	last, col := bytesOf("n"), GP64()
	SUBQ(Imm(uint64(s.bytes())), last)
	Label("row")
	XORQ(col, col)
	Label("col")
	VMOVUPS(s.load(colAt(src, col)), colAt(dst, col))
	ADDQ(Imm(uint64(s.bytes())), col)
	CMPQ(col, last)
	JL(LabelRef("col"))
	VMOVUPS(s.load(colAt(src, last)), colAt(dst, last))
	ADDQ(ldd, dst)
	ADDQ(lds, src)
	DECQ(rows)
	JNZ(LabelRef("row"))
	finish()
}
