package main

import (
	"fmt"
)

// genPeak writes a loop of independent multiply-adds that never touches memory:
// what the processor can do at best.
func genPeak(a architecture) {
	for _, s := range a.isas {
		s.peak()
	}
}

func (s isa) peak() {
	chains := max(12, s.sums+4)
	text("fma"+s.name, "n int", fmt.Sprintf("runs n rounds of %d independent vector multiply-adds.", chains))
	n := ptr("n")
	acc, x := s.zeros(chains), s.zero()
	mark("loop")
	for _, v := range acc {
		s.fma(x, x, v)
	}
	s.countdown(n, "loop")
	for _, v := range acc[1:] {
		s.add(v, acc[0], acc[0])
	}
	s.ret()
}
