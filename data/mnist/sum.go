package mnist

import "slices"

// Sum holds the d+1 decimal digits of the sum of two d-digit numbers, ones first, so that d is
// not limited by an integer type. The last digit is 0 or 1.
type Sum []int

// NewSum returns v, 0 to 2·(10^d − 1), as a sum of two numbers of d ≤ 18 digits.
func NewSum(v, digits int) Sum {
	s := make(Sum, digits+1)
	for p := range s {
		s[p] = v % Classes
		v /= Classes
	}
	return s
}

// add returns the sum of two numbers of digits, most significant first.
func add(first, second []int) Sum {
	d := len(first)
	s := make(Sum, d+1)
	for p := range d {
		column := s[p] + first[d-1-p] + second[d-1-p]
		s[p], s[p+1] = column%Classes, column/Classes
	}
	return s
}

// Int returns the sum as an int, which can hold sums of numbers of at most 18 digits.
func (s Sum) Int() int {
	v := 0
	for _, z := range slices.Backward(s) {
		v = Classes*v + z
	}
	return v
}

// String writes the sum as people do, without leading zeros.
func (s Sum) String() string {
	text := make([]byte, 0, len(s))
	for p, z := range slices.Backward(s) {
		if z != 0 || p == 0 || len(text) > 0 {
			text = append(text, '0'+byte(z))
		}
	}
	return string(text)
}

// MarshalJSON writes the sum as a number of all its digits.
func (s Sum) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }
