package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// genPeak writes a loop of independent multiply-adds that never touches memory:
// what the processor can do at best.
func genPeak() {
	avx2.peak()
	avx512.peak()
}

// peakChains is the number of independent sums; they hide the latency at two a
// cycle.
const peakChains = 12

func (s isa) peak() {
	TEXT("fma"+s.name, NOSPLIT, "func(n int)")
	Doc("fma" + s.name + " runs n rounds of 12 independent vector multiply-adds.")
	n := ptr("n")
	acc, x := s.zeros(peakChains), s.zero()
	Label("loop")
	for _, v := range acc {
		VFMADD231PS(x, x, v)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	for _, v := range acc[1:] {
		VADDPS(v, acc[0], acc[0])
	}
	finish()
}
