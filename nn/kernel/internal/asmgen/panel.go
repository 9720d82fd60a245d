package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genPanel writes the product of the sparse factorisation, in float64: a matrix by
// eight columns, packed. AVX2 takes a row of them as two vectors, AVX-512 as one, and
// both as many rows of the matrix at a time as hide the latency of the sums.
func genPanel() {
	panel("AVX2", []int{6, 3, 1}, 2, YMM)
	panel("AVX512", []int{12, 6, 3, 1}, 1, ZMM)
}

func panel(name string, tiles []int, nv int, vec func() reg.VecVirtual) {
	TEXT("panel"+name, NOSPLIT, "func(m, k int, a *float64, lda int, s, out *float64)")
	Pragma("noescape")
	Doc("panel" + name + " writes the m × 8 product of the m × k matrix a, of row stride lda, and the k × 8 matrix s.")
	m, a, out := ptr("m"), ptr("a"), ptr("out")
	ld := ptr("lda")
	SHLQ(Imm(3), ld)
	for _, rows := range tiles {
		label := fmt.Sprintf("rows%d", rows)
		SUBQ(U32(rows), m)
		JL(LabelRef(label + "end"))
		Label(label)
		// Row r is at a third row's pointer and at most two strides.
		third := []reg.GPVirtual{GP64()}
		MOVQ(a, third[0])
		for r := 3; r < rows; r += 3 {
			p := GP64()
			LEAQ(Mem{Base: third[r/3-1], Index: ld, Scale: 2}, p)
			ADDQ(ld, p)
			third = append(third, p)
		}
		sums := make([]reg.VecVirtual, rows*nv)
		for i := range sums {
			sums[i] = vec()
			if nv == 1 {
				VPXORQ(sums[i], sums[i], sums[i])
			} else {
				VXORPD(sums[i], sums[i], sums[i])
			}
		}
		s, k := ptr("s"), ptr("k")
		Label(label + "k")
		b := make([]reg.VecVirtual, nv)
		for v := range b {
			b[v] = vec()
			VMOVUPD(at(s, 64/nv*v), b[v])
		}
		for r := range rows {
			x := vec()
			from := Mem{Base: third[r/3]}
			if r%3 > 0 {
				from.Index, from.Scale = ld, uint8(r%3)
			}
			VBROADCASTSD(from, x)
			for v := range b {
				VFMADD231PD(b[v], x, sums[r*nv+v])
			}
		}
		for _, p := range third {
			ADDQ(Imm(8), p)
		}
		ADDQ(Imm(64), s)
		DECQ(k)
		JNZ(LabelRef(label + "k"))
		for i, v := range sums {
			VMOVUPD(v, at(out, 64/nv*i))
		}
		ADDQ(U32(64*uint32(rows)), out)
		stride := GP64()
		IMUL3Q(U32(rows), ld, stride)
		ADDQ(stride, a)
		SUBQ(U32(rows), m)
		JGE(LabelRef(label))
		Label(label + "end")
		ADDQ(U32(rows), m)
	}
	finish()
}
