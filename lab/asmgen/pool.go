package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genPool writes the max pooling kernels. Both walk a list of (element offset,
// tap) pairs for each group of elements, with the running values in registers.
func genPool(a architecture) {
	a.base().poolMax()
	a.base().poolAdd()
}

// poolMax takes 32 elements at a time, the number whose one-byte indices fill a
// register of AVX2.
func (s isa) poolMax() {
	s.begin("poolMax", "n, taps int, list *[2]int, x, y *float32, index *uint8", "is poolMax on the first n&^31 elements; taps is at least 1.")
	n, x, y, index := ptr("n"), ptr("x"), ptr("y"), ptr("index")
	s.takeOrJump(32, n, "end")
	mark("group")
	list, left := ptr("list"), ptr("taps")
	source := func() reg.GPVirtual {
		p := copied(at(list, 0))
		s.lea(Mem{Base: x, Index: p, Scale: 4}, p)
		return p
	}
	best, from := s.loads(source(), 32/s.lanes), s.vecs(32/s.bytes())
	first := s.broadcastByte(at(list, 8))
	for _, v := range from {
		s.copyTo(first, v)
	}
	s.jump("next")
	mark("tap")
	p := source()
	mask := make([]reg.VecVirtual, len(best))
	for i := range mask {
		mask[i] = s.replaceGreater(s.load(at(p, i*s.bytes())), best[i])
	}
	where, tap := s.bytesOfMasks(mask), s.broadcastByte(at(list, 8))
	for i, v := range from {
		s.selectBytes(where[i], tap, v)
	}
	mark("next")
	s.inc(Imm(16), list)
	s.countdown(left, "tap")
	s.stores(best, at(y, 0))
	s.stores(from, at(index, 0))
	s.inc(U32(128), x)
	s.inc(U32(128), y)
	s.inc(Imm(32), index)
	s.takeAndJump(32, n, "group")
	mark("end")
	s.ret()
}

// poolAdd takes a vector at a time.
func (s isa) poolAdd() {
	s.begin("poolAdd", "n, wins int, list *[2]int, dy *float32, index *uint8, dx *float32", "is poolAdd on the first n&^7 elements.")
	n, dy, index, dx := ptr("n"), ptr("dy"), ptr("index"), ptr("dx")
	s.roundDown(8, n)
	s.takeOrJump(s.lanes, n, "end")
	mark("group")
	sum, list, left := s.zero(), ptr("list"), ptr("wins")
	s.jumpZero(left, "store")
	mark("window")
	off := copied(at(list, 0))
	s.addWhere(Mem{Base: dy, Index: off, Scale: 4}, colAt(index, off), at(list, 8), sum)
	s.inc(Imm(16), list)
	s.countdown(left, "window")
	mark("store")
	s.store(sum, at(dx, 0))
	s.inc(Imm(uint64(s.bytes())), dy)
	s.inc(Imm(uint64(s.lanes)), index)
	s.inc(Imm(uint64(s.bytes())), dx)
	s.takeAndJump(s.lanes, n, "group")
	mark("end")
	s.ret()
}
