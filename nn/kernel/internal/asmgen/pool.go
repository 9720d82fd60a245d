package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genPool writes the max pooling kernels. Both walk a list of (element offset,
// tap) pairs for each group of elements, with the running values in registers.
func genPool() {
	avx2.poolMax()
	avx2.poolAdd()
}

// poolMax takes 32 elements at a time, the number whose one-byte indices fill a
// register.
func (s isa) poolMax() {
	s.begin("poolMax", "n, taps int, list *[2]int, x, y *float32, index *uint8", "is poolMax on the first n&^31 elements; taps is at least 1.")
	n, x, y, index := ptr("n"), ptr("x"), ptr("y"), ptr("index")
	order := s.vec() // packing works in halves of a register; this undoes it
	VMOVDQU(GLOBLorder(), order)
	SUBQ(Imm(32), n)
	JL(LabelRef("end"))
	Label("group")
	list, left := ptr("list"), ptr("taps")
	source := func() reg.GPVirtual {
		p := GP64()
		MOVQ(at(list, 0), p)
		LEAQ(Mem{Base: x, Index: p, Scale: 4}, p)
		return p
	}
	best, from := s.loads(source(), 4), s.vec()
	VPBROADCASTB(at(list, 8), from)
	JMP(LabelRef("next"))
	Label("tap")
	p := source()
	mask := make([]reg.VecVirtual, 4)
	for i := range mask {
		v := s.load(at(p, i*s.bytes()))
		mask[i] = s.vec()
		VCMPPS(Imm(30), best[i], v, mask[i]) // v > best, quiet
		VMAXPS(best[i], v, best[i])          // best if one is not a number
	}
	VPACKSSDW(mask[1], mask[0], mask[0])
	VPACKSSDW(mask[3], mask[2], mask[2])
	VPACKSSWB(mask[2], mask[0], mask[0])
	VPERMD(mask[0], order, mask[0])
	tap := s.vec()
	VPBROADCASTB(at(list, 8), tap)
	VPBLENDVB(mask[0], tap, from, from)
	Label("next")
	ADDQ(Imm(16), list)
	DECQ(left)
	JNZ(LabelRef("tap"))
	s.stores(best, y, 0)
	VMOVDQU(from, at(index, 0))
	ADDQ(U32(128), x)
	ADDQ(U32(128), y)
	ADDQ(Imm(32), index)
	SUBQ(Imm(32), n)
	JGE(LabelRef("group"))
	Label("end")
	finish()
}

// GLOBLorder is the constant that brings the doublewords of packed halves into
// the order of their elements.
func GLOBLorder() Mem {
	m := GLOBL("packOrder", 8|16) // read-only, no pointers
	for i, v := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(v))
	}
	return m
}

func (s isa) poolAdd() {
	s.begin("poolAdd", "n, wins int, list *[2]int, dy *float32, index *uint8, dx *float32", "is poolAdd on the first n&^7 elements.")
	n, dy, index, dx := ptr("n"), ptr("dy"), ptr("index"), ptr("dx")
	SUBQ(Imm(8), n)
	JL(LabelRef("end"))
	Label("group")
	sum, list, left := s.zero(), ptr("list"), ptr("wins")
	TESTQ(left, left)
	JZ(LabelRef("store"))
	Label("window")
	off := GP64()
	MOVQ(at(list, 0), off)
	at8, tap := s.vec(), s.vec()
	VPMOVZXBD(Mem{Base: index, Index: off, Scale: 1}, at8)
	VPBROADCASTD(at(list, 8), tap)
	VPCMPEQD(tap, at8, at8)
	VANDPS(Mem{Base: dy, Index: off, Scale: 4}, at8, at8)
	VADDPS(at8, sum, sum)
	ADDQ(Imm(16), list)
	DECQ(left)
	JNZ(LabelRef("window"))
	Label("store")
	VMOVUPS(sum, at(dx, 0))
	ADDQ(Imm(32), dy)
	ADDQ(Imm(8), index)
	ADDQ(Imm(32), dx)
	SUBQ(Imm(8), n)
	JGE(LabelRef("group"))
	Label("end")
	finish()
}
