package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genCombine writes the sums of transform.go, for one group of 16 elements and for
// four at a time. What to add is a list that is read beside the data, so that one
// function serves all matrices; with four groups, eight multiply-adds share the
// reading of one entry.
func genCombine() {
	avx2.combine(1)
	avx2.combine(4)
}

func (s isa) combine(groups int) {
	s.begin(fmt.Sprintf("combine%d", groups), "count int, outs, terms *[2]int, dst *float32, ds, dn int, src *float32, ss, sn int, scale, shift, residual *float32, floor float32",
		fmt.Sprintf("is linear.apply on %d groups; it computes at least one output.", groups))
	left, outs, terms := ptr("count"), ptr("outs"), ptr("terms")
	src, dst := s.groups("src", "sn"), s.groups("dst", "dn")
	Label("out")
	acc := s.zeros(groups * s.nv)
	k, p := GP64(), GP64()
	MOVQ(at(outs, 8), k)
	TESTQ(k, k)
	JZ(LabelRef("store"))
	Label("term")
	coef := s.vec()
	VBROADCASTSS(at(terms, 8), coef)
	MOVQ(at(terms, 0), p)
	IMULQ(addr("ss"), p)
	LEAQ(Mem{Base: src.base, Index: p, Scale: 4}, p)
	for i, v := range acc {
		VFMADD231PS(src.vector(p, i), coef, v)
	}
	ADDQ(Imm(16), terms)
	DECQ(k)
	JNZ(LabelRef("term"))

	Label("store")
	MOVQ(at(outs, 0), p)
	IMULQ(addr("ds"), p)
	scale := ptr("scale")
	TESTQ(scale, scale)
	JZ(LabelRef("plain"))
	q, floor := ptr("shift"), s.broadcast("floor")
	for i, v := range acc {
		VFMADD213PS(at(q, i*s.bytes()), s.load(at(scale, i*s.bytes())), v)
	}
	MOVQ(addr("residual"), q)
	TESTQ(q, q)
	JZ(LabelRef("floor"))
	LEAQ(Mem{Base: q, Index: p, Scale: 4}, q)
	for i, v := range acc {
		VADDPS(dst.vector(q, i), v, v)
	}
	Label("floor")
	for _, v := range acc {
		VMAXPS(v, floor, v) // v if it is not a number
	}
	Label("plain")
	LEAQ(Mem{Base: dst.base, Index: p, Scale: 4}, p)
	for i, v := range acc {
		VMOVUPS(v, dst.vector(p, i))
	}
	ADDQ(Imm(16), outs)
	DECQ(left)
	JNZ(LabelRef("out"))
	finish()
}

// groupsAt addresses the groups of a block.
type groupsAt struct {
	isa
	base, next, next3 reg.GPVirtual
}

func (s isa) groups(base, next string) groupsAt {
	g := groupsAt{s, ptr(base), bytesOf(next), GP64()}
	LEAQ(Mem{Base: g.next, Index: g.next, Scale: 2}, g.next3)
	return g
}

// vector is vector i of the groups of the block at p.
func (g groupsAt) vector(p reg.GPVirtual, i int) Mem {
	m := at(p, i%g.nv*g.bytes())
	switch i / g.nv {
	case 1, 2:
		m.Index, m.Scale = g.next, uint8(i/g.nv)
	case 3:
		m.Index, m.Scale = g.next3, 1
	}
	return m
}
