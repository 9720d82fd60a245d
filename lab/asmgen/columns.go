package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genColumns writes the product of a sparse matrix by eight columns, in float64: NEON holds
// a row of them in four vectors, AVX2 in two, AVX-512 in one. A row has few terms, two or
// three, so that the processor works on several rows at once by itself. Each row is stored, and
// the next one over it where it is not to be kept: there is no branch to foresee.
func genColumns(a architecture) {
	for _, s := range a.isas {
		s.columns()
	}
}

func (s isa) columns() {
	s.begin("columns", "m, k, first int, rows *int32, terms, dense *float64, found *int, out *float64) (size int", "is the loop of Larger over m rows of k terms. It returns the size of what it found, 8 bytes a row.")
	m, first, rows, terms, dense := ptr("m"), ptr("first"), ptr("rows"), ptr("terms"), ptr("dense")
	found, out, size := ptr("found"), ptr("out"), gp()
	s.zeroInt(size)
	sums := s.vecs(64 / s.bytes())
	next := func(base reg.GPVirtual) reg.GPVirtual {
		r := gp()
		s.moveInt32(at(rows, 0), r)
		s.inc(Imm(4), rows)
		s.inc(base, r)
		return r
	}
	mark("row")
	row := next(terms)
	for _, v := range sums {
		s.broadcast64To(at(row, 8), v)
	}
	k, term := ptr("k"), copied(row)
	s.jumpZero(k, "end")
	mark("term")
	x := s.vec()
	s.scalar64To(at(term, 16), x)
	for v, y := range s.loads(next(dense), len(sums)) {
		s.fmaScalar64(y, x, sums[v])
	}
	s.inc(Imm(8), term)
	s.countdown(k, "term")
	mark("end")
	to := gp()
	s.lea(Mem{Base: found, Index: size, Scale: 1}, to)
	s.storeInt(first, at(to, 0))
	s.lea(Mem{Base: out, Index: size, Scale: 8}, to)
	s.stores(sums, at(to, 0))
	s.inc(s.anyLarger64(sums, at(row, 0)), size)
	s.inc(Imm(1), first)
	s.countdown(m, "row")
	s.storeInt(size, result())
	s.ret()
}
