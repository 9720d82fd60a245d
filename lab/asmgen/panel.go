package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genPanel writes the product of the sparse factorisation, in float64: a matrix by
// eight columns. NEON takes a row of them as four vectors, AVX2 as two, AVX-512
// as one, and all as many rows of the matrix at a time as hide the latency of the sums.
func genPanel(a architecture) {
	for _, s := range a.isas {
		s.panel()
	}
}

func (s isa) panel() {
	s.begin("panel", "m, k int, a *float64, lda int, s *float64, lds int, out *float64", "adds to the m × 8 matrix out the product of the m × k matrix a, of row stride lda, and the k × 8 matrix s, of row stride lds.")
	m, a, out := ptr("m"), ptr("a"), ptr("out")
	lda, lds := ptr("lda"), ptr("lds")
	s.shiftLeft(3, lda)
	s.shiftLeft(3, lds)
	ld := s.stride(lda)
	nv := 64 / s.bytes()
	for _, rows := range slices.Compact([]int{s.tiles[0], 6, 3, 1}) {
		label := fmt.Sprintf("rows%d", rows)
		s.takeOrJump(rows, m, label+"end")
		mark(label)
		third := []reg.GPVirtual{copied(a)} // row 0, 3, …
		for r := 3; r < rows; r += 3 {
			p := gp()
			s.lea(Mem{Base: third[r/3-1], Index: lda, Scale: 2}, p)
			s.inc(lda, p)
			third = append(third, p)
		}
		sums := s.loads(out, rows*nv)
		b, k := ptr("s"), ptr("k")
		mark(label + "k")
		row := s.loads(b, nv)
		for r := range rows {
			x := s.vec()
			s.scalar64To(s.row(third[r/3], ld, r%3), x)
			for v := range row {
				s.fmaScalar64(row[v], x, sums[r*nv+v])
			}
		}
		for _, p := range third {
			s.inc(Imm(8), p)
		}
		s.inc(lds, b)
		s.countdown(k, label+"k")
		s.stores(sums, at(out, 0))
		s.inc(U32(64*uint32(rows)), out)
		for range rows {
			s.inc(lda, a)
		}
		s.takeAndJump(rows, m, label)
		mark(label + "end")
		s.inc(Imm(uint64(rows)), m)
	}
	s.ret()
}
