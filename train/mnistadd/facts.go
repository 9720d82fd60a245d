package mnistadd

import "hinge/symbolic/ground"

// builder fills a database and keeps the first error.
type builder struct {
	db  *ground.Database
	err error
}

// declare declares a predicate with the arity of its first atom.
func (b *builder) declare(pred string, args []string) {
	if b.err == nil {
		b.err = b.db.Predicate(pred, len(args))
	}
}

func (b *builder) observe(pred string, args ...string) {
	if b.declare(pred, args); b.err == nil {
		b.err = b.db.Observe(pred, 1, args...)
	}
}

func (b *builder) deep(pred string, args ...string) {
	if b.declare(pred, args); b.err == nil {
		_, b.err = b.db.Deep(pred, args...)
	}
}

func (b *builder) target(pred string, args ...string) int {
	b.declare(pred, args)
	if b.err != nil {
		return 0
	}
	var i int
	i, b.err = b.db.Target(pred, args...)
	return i
}

// arithmetic states the columns of an addition: carry w plus digits x and y.
func (b *builder) arithmetic() {
	for w := range 2 {
		for x := range 10 {
			for y := range 10 {
				sum := w + x + y
				b.observe("DigitSumOnesPlace", digit(w), digit(x), digit(y), digit(sum%10))
				b.observe("DigitSumTensPlace", digit(w), digit(x), digit(y), digit(sum/10))
			}
		}
	}
}

// oneDigit states what sums of two digits look like.
func (b *builder) oneDigit(largest int) {
	for z := range largest + 1 {
		b.observe("PlacedRepresentation", digit(z/10), digit(z%10), digit(z))
		for x := range 10 {
			if between(z-x, 0, 9) {
				b.observe("PossibleDigit", digit(x), digit(z))
			}
		}
	}
}

// twoDigits states what sums of two two-digit numbers look like.
func (b *builder) twoDigits(largest int) {
	for z := range largest + 1 {
		b.observe("PlacedRepresentation", digit(z/100), digit(z/10%10), digit(z%10), digit(z))
		for x := range 10 {
			ones, tens := false, false
			for other := range 10 {
				ones = ones || between(z-(10*other+x), 0, 99)
				tens = tens || between(z-(10*x+other), 0, 99)
			}
			if ones {
				b.observe("PossibleOnesDigit", digit(x), digit(z))
			}
			if tens {
				b.observe("PossibleTensDigit", digit(x), digit(z))
			}
		}
	}
}

func between(v, lo, hi int) bool { return lo <= v && v <= hi }
