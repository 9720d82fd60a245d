package mnistadd

import (
	_ "embed"
	"fmt"
)

//go:embed rules/addn.psl
var addNRules []byte

// columns holds the atoms of one addition of two numbers of three or more
// digits. There is no atom for every sum: the answer is read off its places.
//
// Of a window (ours) the first column is like all others, with the carry that comes into
// it an atom, and the last has no place above it.
func (s *Symbolic) columns(b builder, window bool) {
	place := func(p int) string { return fmt.Sprintf("place %d", p) }
	carry := func(p int) (pair []int) {
		for w := range 2 {
			pair = append(pair, b.Target("Carry", place(p), digit(w)))
		}
		return pair
	}
	for i := range 2 * s.Digits {
		for x := range 10 {
			b.Deep("Neural", image(i), digit(x))
		}
	}
	for p := range s.Digits {
		// Column p from the ones; images run from the leading digit.
		first, second := image(s.Digits-1-p), image(2*s.Digits-1-p)
		if p == 0 && !window {
			b.Observe("Units", first, second, place(p))
		} else {
			b.Observe("Column", first, second, place(p), place(p-1))
		}
	}
	places := s.Digits
	if window {
		s.in = carry(-1)
		b.Declare("Units", 3)
		b.Declare("Leading", 2)
	} else {
		b.Observe("Leading", place(s.Digits-1), place(s.Digits))
		places++
	}
	for p := range places {
		var row []int
		for z := range 10 {
			row = append(row, b.Target("SumPlace", place(p), digit(z)))
		}
		s.places = append(s.places, row)
	}
	for p := range s.Digits {
		s.carries = append(s.carries, carry(p))
	}
	b.arithmetic()
	for x := range 10 {
		for y := range 10 {
			if x+y == 9 {
				b.Observe("CarryThrough", digit(x), digit(y))
			} else {
				b.Observe("CarryOut", digit(x), digit(y), digit((x+y)/10))
			}
		}
		for w := range 2 {
			for z := range 10 {
				if between(10*w+z-x, 0, 10) { // a digit and perhaps a carry
					b.Observe("PossibleDigit", digit(x), digit(w), digit(z))
				}
			}
		}
	}
}

func image(i int) string { return fmt.Sprintf("image %d", i) }
