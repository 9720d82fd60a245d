package main

import . "github.com/mmcloughlin/avo/operand"

// genColumns writes the product of a sparse matrix by eight columns, in float64: NEON holds
// a row of them in four vectors, AVX2 in two, AVX-512 in one. A row has few terms, two or
// three, so that the processor works on several rows at once by itself.
func genColumns(a architecture) {
	for _, s := range a.isas {
		s.columns()
	}
}

func (s isa) columns() {
	s.begin("columns", "m, k int, at *int, val *float64, dense, out *float64", "writes the products of m rows of k ≥ 1 terms: val times the eight numbers that are at bytes behind dense.")
	m, offsets, val, dense, out := ptr("m"), ptr("at"), ptr("val"), ptr("dense"), ptr("out")
	nv := 64 / s.bytes()
	mark("row")
	sums, k := s.zeros(nv), ptr("k")
	mark("term")
	row := gp()
	s.move(at(offsets, 0), row)
	s.inc(dense, row)
	x := s.vec()
	s.scalar64To(at(val, 0), x)
	for v, y := range s.loads(row, nv) {
		s.fmaScalar64(y, x, sums[v])
	}
	s.inc(Imm(8), offsets)
	s.inc(Imm(8), val)
	s.countdown(k, "term")
	s.stores(sums, at(out, 0))
	s.inc(Imm(64), out)
	s.countdown(m, "row")
	s.ret()
}
