package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genStrip writes the strip of tile.go:
//
//	C[i, j] (+)= alpha · Σ_e Σ_p A[e.a·au + i·rs + p·ks] · B[(e.b + p)·ldb + j]
//
// m rows are cut into register tiles of at most mr rows, each nr columns wide.
// A tile clears its accumulators, runs over all entries and all k terms of each,
// and only then touches C. The elements of A are broadcast from where they lie.
// With an epilogue the sums are not added to C but go through it on their way
// there.
func genStrip() {
	avx2.strip()
	avx512.strip()
}

func (s isa) strip() {
	TEXT("strip"+s.name, NOSPLIT, "func(m, k, nb int, ents *[2]int, a *float32, au, rs, ks int, b *float32, ldb int, c *float32, ldc int, alpha float32, add bool, scale, shift, residual *float32, floor float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("strip%s computes a strip of m rows and %d columns; strides count elements.", s.name, s.nr()))
	st := &stripRegs{isa: s, m: ptr("m"), a: ptr("a"), c: ptr("c"), rs: bytesOf("rs"), ks: bytesOf("ks"), ldb: bytesOf("ldb")}

	Label("next")
	plan := s.splits()
	CMPQ(st.m, U32(uint32(len(plan))))
	JGE(LabelRef(tileLabel(s.tiles[0])))
	for m := len(plan) - 1; m > 0; m-- {
		CMPQ(st.m, U32(uint32(m)))
		JE(LabelRef(tileLabel(plan[m])))
	}
	finish()
	for _, r := range s.tiles {
		st.tile(r)
	}
}

// splits tells for m rows left, up to where the largest tile is always best, how
// many the next tile should have. A tile of r rows costs r·nv/2 cycles a term
// with two multiply-adds a cycle, but never less than their latency of four; the
// plan minimises the sum and then prefers large tiles.
func (s isa) splits() []int {
	n := 3 * s.tiles[0]
	best, first := make([]int, n), make([]int, n)
	for m := 1; m < n; m++ {
		for _, r := range s.tiles {
			if r > m {
				continue
			}
			if cost := max(8, r*s.nv) + best[m-r]; first[m] == 0 || cost < best[m] {
				best[m], first[m] = cost, r
			}
		}
	}
	for n > 1 && first[n-1] == s.tiles[0] {
		n--
	}
	return first[:n]
}

func tileLabel(r int) string { return fmt.Sprintf("tile%d", r) }

// stripRegs are the registers that live through a whole strip.
type stripRegs struct {
	isa
	m, a, c, rs, ks, ldb reg.GPVirtual
}

// tile computes r rows and advances to the next.
func (s *stripRegs) tile(r int) {
	label := func(what string) string { return fmt.Sprintf("%s%d", what, r) }
	Label(tileLabel(r))
	s.prefetch(r)
	acc := make([][]reg.VecVirtual, r)
	all := s.zeros(r * s.nv)
	for i := range acc {
		acc[i] = all[i*s.nv:][:s.nv]
	}
	ents, left := ptr("ents"), ptr("nb")
	TESTQ(left, left)
	JZ(LabelRef(label("store")))

	Label(label("entry"))
	rows := make([]reg.GPVirtual, (r+2)/3) // one pointer for three rows of A
	rows[0] = GP64()
	MOVQ(at(ents, 0), rows[0])
	IMULQ(addr("au"), rows[0])
	LEAQ(Mem{Base: s.a, Index: rows[0], Scale: 4}, rows[0])
	for i := 1; i < len(rows); i++ {
		rows[i] = GP64()
		LEAQ(Mem{Base: rows[i-1], Index: s.rs, Scale: 2}, rows[i])
		ADDQ(s.rs, rows[i])
	}
	b := GP64()
	MOVQ(at(ents, 8), b)
	IMULQ(s.ldb, b)
	ADDQ(addr("b"), b)
	k := ptr("k")
	const unroll = 4
	SUBQ(Imm(unroll), k)
	JL(LabelRef(label("rest")))
	Label(label("loop"))
	for range unroll {
		s.term(acc, rows, b)
	}
	SUBQ(Imm(unroll), k)
	JGE(LabelRef(label("loop")))
	Label(label("rest"))
	ADDQ(Imm(unroll), k)
	JZ(LabelRef(label("done")))
	Label(label("one"))
	s.term(acc, rows, b)
	DECQ(k)
	JNZ(LabelRef(label("one")))
	Label(label("done"))
	ADDQ(Imm(16), ents)
	DECQ(left)
	JNZ(LabelRef(label("entry")))

	Label(label("store"))
	s.store(acc, label)
	for range r {
		ADDQ(s.rs, s.a)
	}
	SUBQ(Imm(uint64(r)), s.m)
	JMP(LabelRef("next"))
}

// prefetch asks for the lines of C that the tile will write: rows of C are often
// far apart, where the processor does not foresee them.
func (s *stripRegs) prefetch(r int) {
	p, ldc := GP64(), bytesOf("ldc")
	MOVQ(s.c, p)
	for i := range r {
		for line := 0; line < s.row(); line += 64 {
			PREFETCHT0(at(p, line))
		}
		if i < r-1 {
			ADDQ(ldc, p)
		}
	}
}

// term adds one term of the sum to the accumulators and advances the pointers.
func (s *stripRegs) term(acc [][]reg.VecVirtual, rows []reg.GPVirtual, b reg.GPVirtual) {
	bv := make([]reg.VecVirtual, s.nv)
	for j := range bv {
		bv[j] = s.vec()
		VMOVUPS(at(b, j*s.bytes()), bv[j])
	}
	for i := range acc {
		src := Mem{Base: rows[i/3]}
		if i%3 > 0 {
			src.Index, src.Scale = s.rs, uint8(i%3)
		}
		av := s.vec()
		VBROADCASTSS(src, av)
		for j := range bv {
			VFMADD231PS(bv[j], av, acc[i][j])
		}
	}
	ADDQ(s.ldb, b)
	for _, p := range rows {
		ADDQ(s.ks, p)
	}
}

// store scales the accumulators, adds C if asked to, and writes them; or it
// applies the epilogue and writes them.
func (s *stripRegs) store(acc [][]reg.VecVirtual, label func(string) string) {
	scale := ptr("scale")
	TESTQ(scale, scale)
	JNZ(LabelRef(label("post")))
	alpha, ldc := s.vec(), bytesOf("ldc")
	VBROADCASTSS(addr("alpha"), alpha)
	flag := GP64()
	MOVBLZX(addr("add"), flag.As32())
	TESTQ(flag, flag)
	JZ(LabelRef(label("plain")))
	c := GP64()
	MOVQ(s.c, c)
	for i := range acc {
		for j, v := range acc[i] {
			old := s.vec()
			VMOVUPS(at(c, j*s.bytes()), old)
			VFMADD213PS(old, alpha, v)
			VMOVUPS(v, at(c, j*s.bytes()))
		}
		ADDQ(ldc, c)
	}
	MOVQ(c, s.c)
	JMP(LabelRef(label("stored")))
	Label(label("plain"))
	for i := range acc {
		for j, v := range acc[i] {
			VMULPS(alpha, v, v)
			VMOVUPS(v, at(s.c, j*s.bytes()))
		}
		ADDQ(ldc, s.c)
	}
	JMP(LabelRef(label("stored")))
	Label(label("post"))
	s.epilogue(acc, scale, label)
	Label(label("stored"))
}

// epilogue computes C = max(floor, acc·scale + shift + residual). The residual
// lies as C does.
func (s *stripRegs) epilogue(acc [][]reg.VecVirtual, factors reg.GPVirtual, label func(string) string) {
	ldc, p, floor := bytesOf("ldc"), ptr("shift"), s.broadcast("floor")
	scale := s.loads(factors, s.nv)
	for _, row := range acc {
		for j, v := range row {
			VFMADD213PS(at(p, j*s.bytes()), scale[j], v)
		}
	}
	MOVQ(addr("residual"), p)
	TESTQ(p, p)
	JZ(LabelRef(label("floor")))
	SUBQ(addr("c"), p)
	ADDQ(s.c, p)
	for _, row := range acc {
		for j, v := range row {
			VADDPS(at(p, j*s.bytes()), v, v)
		}
		ADDQ(ldc, p)
	}
	Label(label("floor"))
	for _, row := range acc {
		for j, v := range row {
			VMAXPS(v, floor, v) // v if it is not a number
			VMOVUPS(v, at(s.c, j*s.bytes()))
		}
		ADDQ(ldc, s.c)
	}
}
