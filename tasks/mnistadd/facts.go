package mnistadd

import "hinge/symbolic/ground"

// builder states the facts of arithmetic.
type builder struct{ *ground.Builder }

// arithmetic states the columns of an addition: carry w plus digits x and y.
func (b builder) arithmetic() {
	for w := range 2 {
		for x := range 10 {
			for y := range 10 {
				sum := w + x + y
				b.Observe("DigitSumOnesPlace", digit(w), digit(x), digit(y), digit(sum%10))
				b.Observe("DigitSumTensPlace", digit(w), digit(x), digit(y), digit(sum/10))
			}
		}
	}
}

// oneDigit states what sums of two digits look like.
func (b builder) oneDigit(largest int) {
	for z := range largest + 1 {
		b.Observe("PlacedRepresentation", digit(z/10), digit(z%10), digit(z))
		for x := range 10 {
			if between(z-x, 0, 9) {
				b.Observe("PossibleDigit", digit(x), digit(z))
			}
		}
	}
}

// twoDigits states what sums of two two-digit numbers look like.
func (b builder) twoDigits(largest int) {
	for z := range largest + 1 {
		b.Observe("PlacedRepresentation", digit(z/100), digit(z/10%10), digit(z%10), digit(z))
		for x := range 10 {
			ones, tens := false, false
			for other := range 10 {
				ones = ones || between(z-(10*other+x), 0, 99)
				tens = tens || between(z-(10*x+other), 0, 99)
			}
			if ones {
				b.Observe("PossibleOnesDigit", digit(x), digit(z))
			}
			if tens {
				b.Observe("PossibleTensDigit", digit(x), digit(z))
			}
		}
	}
}

func between(v, lo, hi int) bool { return lo <= v && v <= hi }
