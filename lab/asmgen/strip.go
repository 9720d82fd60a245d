package main

import (
	"fmt"

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
// there. Where half is true only the first half of the columns is computed, for matrices that
// have no more.
func genStrip(a architecture) {
	for _, s := range a.isas {
		s.strip()
	}
}

func (s isa) strip() {
	s.begin("strip", "m, k, nb int, ents *[2]int, a *float32, au, rs, ks int, b *float32, ldb int, c *float32, ldc int, alpha float32, add, half bool, scale, shift, residual *float32, floor float32", fmt.Sprintf("computes a strip of m rows and %d columns, or half of them; strides count elements.", s.nr()))
	flag := gp()
	s.moveByte(addr("half"), flag)
	s.jumpNonzero(flag, "half")
	s.stripOf("full")
	mark("half")
	s.nv /= 2
	s.stripOf("half")
}

// stripOf is a strip of as many columns as the instruction set has now; the labels begin with width.
func (s isa) stripOf(width string) {
	st := &stripRegs{isa: s, width: width, m: ptr("m"), a: ptr("a"), c: ptr("c"), rs: s.stride(bytesOf("rs")), ks: bytesOf("ks"), ldb: bytesOf("ldb")}

	mark(width + "next")
	plan := s.splits()
	s.jumpAtLeast(st.m, len(plan), st.label("tile", s.tiles[0]))
	for m := len(plan) - 1; m > 0; m-- {
		s.jumpEqual(st.m, m, st.label("tile", plan[m]))
	}
	s.ret()
	for _, r := range s.tiles {
		st.tile(r)
	}
}

// splits tells for m rows left, up to where the largest tile is always best, how
// many the next tile should have. A tile of r rows costs r·nv multiply-adds a term, but
// never less time than as many as hide their latency; the plan minimises the sum and
// then prefers large tiles.
func (s isa) splits() []int {
	n := 3 * s.tiles[0]
	best, first := make([]int, n), make([]int, n)
	for m := 1; m < n; m++ {
		for _, r := range s.tiles {
			if r > m {
				continue
			}
			if cost := max(s.sums, r*s.nv) + best[m-r]; first[m] == 0 || cost < best[m] {
				best[m], first[m] = cost, r
			}
		}
	}
	for n > 1 && first[n-1] == s.tiles[0] {
		n--
	}
	return first[:n]
}

// stripRegs are the registers that live through a whole strip.
type stripRegs struct {
	isa
	width            string // begins the labels
	m, a, c, ks, ldb reg.GPVirtual
	rs               stride
}

// label names a place in the tile of r rows.
func (s *stripRegs) label(what string, r int) string { return fmt.Sprintf("%s%s%d", s.width, what, r) }

// tile computes r rows and advances to the next.
func (s *stripRegs) tile(r int) {
	label := func(what string) string { return s.label(what, r) }
	mark(label("tile"))
	s.prefetchTile(r)
	acc := make([][]reg.VecVirtual, r)
	all := s.zeros(r * s.nv)
	for i := range acc {
		acc[i] = all[i*s.nv:][:s.nv]
	}
	ents, left := ptr("ents"), ptr("nb")
	s.jumpZero(left, label("store"))

	mark(label("entry"))
	rows := make([]reg.GPVirtual, (r+2)/3) // one pointer for three rows of A
	rows[0] = gp()
	s.move(at(ents, 0), rows[0])
	s.times(addr("au"), rows[0])
	s.lea(Mem{Base: s.a, Index: rows[0], Scale: 4}, rows[0])
	for i := 1; i < len(rows); i++ {
		rows[i] = gp()
		s.lea(Mem{Base: rows[i-1], Index: s.rs.one, Scale: 2}, rows[i])
		s.inc(s.rs.one, rows[i])
	}
	b := gp()
	s.move(at(ents, 8), b)
	s.times(s.ldb, b)
	s.inc(addr("b"), b)
	k := ptr("k")
	const unroll = 4
	s.takeOrJump(unroll, k, label("rest"))
	mark(label("loop"))
	for range unroll {
		s.term(acc, rows, b)
	}
	s.takeAndJump(unroll, k, label("loop"))
	mark(label("rest"))
	s.inc(Imm(unroll), k)
	s.jumpZero(k, label("done"))
	mark(label("one"))
	s.term(acc, rows, b)
	s.countdown(k, label("one"))
	mark(label("done"))
	s.inc(Imm(16), ents)
	s.countdown(left, label("entry"))

	mark(label("store"))
	s.finish(acc, label)
	for range r {
		s.inc(s.rs.one, s.a)
	}
	s.dec(Imm(uint64(r)), s.m)
	s.jump(s.width + "next")
}

// prefetchTile asks for the lines of C that the tile will write: rows of C are often
// far apart, where the processor does not foresee them.
func (s *stripRegs) prefetchTile(r int) {
	p, ldc := gp(), bytesOf("ldc")
	s.move(s.c, p)
	for i := range r {
		for line := 0; line < s.rowBytes(); line += 64 {
			s.prefetch(at(p, line))
		}
		if i < r-1 {
			s.inc(ldc, p)
		}
	}
}

// term adds one term of the sum to the accumulators and advances the pointers.
func (s *stripRegs) term(acc [][]reg.VecVirtual, rows []reg.GPVirtual, b reg.GPVirtual) {
	bv := s.loads(b, s.nv)
	for line := 0; line < s.rowBytes() && s.reaches(); line += 64 {
		s.prefetch(Mem{Base: b, Index: s.ldb, Scale: 8, Disp: line})
	}
	for i := range acc {
		av := s.vec()
		s.scalarTo(s.row(rows[i/3], s.rs, i%3), av)
		for j := range bv {
			s.fmaScalar(bv[j], av, acc[i][j])
		}
	}
	s.inc(s.ldb, b)
	for _, p := range rows {
		s.inc(s.ks, p)
	}
}

// finish scales the accumulators, adds C if asked to, and writes them; or it
// applies the epilogue and writes them.
func (s *stripRegs) finish(acc [][]reg.VecVirtual, label func(string) string) {
	scale := ptr("scale")
	s.jumpNonzero(scale, label("post"))
	alpha, ldc := s.broadcast("alpha"), bytesOf("ldc")
	flag := gp()
	s.moveByte(addr("add"), flag)
	s.jumpZero(flag, label("plain"))
	c := gp()
	s.move(s.c, c)
	for i := range acc {
		for j, v := range acc[i] {
			to := at(c, j*s.bytes())
			s.store(s.mulAdd(v, alpha, s.load(to)), to)
		}
		s.inc(ldc, c)
	}
	s.move(c, s.c)
	s.jump(label("stored"))
	mark(label("plain"))
	for i := range acc {
		for j, v := range acc[i] {
			s.mul(alpha, v, v)
			s.store(v, at(s.c, j*s.bytes()))
		}
		s.inc(ldc, s.c)
	}
	s.jump(label("stored"))
	mark(label("post"))
	s.epilogue(acc, scale, label)
	mark(label("stored"))
}

// epilogue computes C = max(floor, acc·scale + shift + residual). The residual
// lies as C does.
func (s *stripRegs) epilogue(acc [][]reg.VecVirtual, factors reg.GPVirtual, label func(string) string) {
	ldc, p, floor := bytesOf("ldc"), ptr("shift"), s.broadcast("floor")
	scale := s.loads(factors, s.nv)
	for _, row := range acc {
		for j, v := range row {
			row[j] = s.mulAdd(v, scale[j], at(p, j*s.bytes()))
		}
	}
	s.move(addr("residual"), p)
	s.jumpZero(p, label("floor"))
	s.dec(addr("c"), p)
	s.inc(s.c, p)
	for _, row := range acc {
		for j, v := range row {
			s.add(at(p, j*s.bytes()), v, v)
		}
		s.inc(ldc, p)
	}
	mark(label("floor"))
	for _, row := range acc {
		for j, v := range row {
			s.floorAt(floor, v)
			s.store(v, at(s.c, j*s.bytes()))
		}
		s.inc(ldc, s.c)
	}
}
