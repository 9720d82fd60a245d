package circuit

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Sum is the addition of two numbers of Digits digits each, as a circuit.
type Sum struct {
	Digits int
	*Circuit

	inputs []float64
}

// base of the digits.
const base = 10

// MaxDigits is the largest number of digits of a number: a sum has up to 10^d worlds, which a count of double
// precision has to hold.
const MaxDigits = 300

// Addition compiles the addition of two d-digit numbers, d from 1 to MaxDigits. One program does so for every
// d: column by column from the ones, it reads a digit of each number and then the digit of the
// sum, which must be the column's. Its state is the carry, and within a column the sum so far.
// The last digit is the carry out, the sum's leading digit.
func Addition(digits int) (*Sum, error) {
	if digits < 1 || digits > MaxDigits {
		return nil, fmt.Errorf("circuit: additions of %d digits, want 1 to %d", digits, MaxDigits)
	}
	values := make([]int, 3*digits+1)
	for v := range values {
		values[v] = base
	}
	c, err := Compile(Program{Values: values, Next: func(variable, state, value int) int {
		switch {
		case variable == 3*digits: // the carry out
			if value == state {
				return 0
			}
		case variable%3 < 2: // a digit of a number
			return state + value
		case value == state%base:
			return state / base
		}
		return dead
	}})
	if err != nil {
		return nil, err
	}
	return &Sum{Digits: digits, Circuit: c, inputs: make([]float64, c.Inputs())}, nil
}

// Image returns the offset of the weights of image i. Images are the d digits of the first
// number, most significant first, then the d digits of the second.
func (s *Sum) Image(i int) int {
	number, place := i/s.Digits, s.Digits-1-i%s.Digits
	return s.Offset(3*place + number)
}

// Place returns the variable that is the sum's digit of weight 10^p, p from 0 to
// Digits.
func (s *Sum) Place(p int) int { return min(3*p+2, 3*s.Digits) }

// SetSum sets the weights of the sum's digits to ask for the digits given, from
// the ones up; nil asks for every sum.
func (s *Sum) SetSum(w []float64, places []int) {
	for p := range s.Digits + 1 {
		row := w[s.Offset(s.Place(p)):][:base]
		for z := range row {
			row[z] = 1
			if places != nil && places[p] != z {
				row[z] = 0
			}
		}
	}
}

// possible reports whether two numbers of the given length can have a sum with these digits,
// from the ones up.
func (s *Sum) possible(places []int) bool {
	bad := slices.ContainsFunc(places, func(z int) bool { return z < 0 || z >= base })
	return !bad && len(places) == s.Digits+1 && places[s.Digits] <= 1
}

// Posterior writes to post the share of each digit of each image, 2d rows of ten, in the
// worlds with the given sum, weighed by the rows of w, and returns the logarithm of their
// weighted count. The sum has d+1 digits, the ones first. w has the layout of post; its rows
// need not be normalised. An impossible sum is an error.
//
// This is the E-step of learning from sums: the derivative of the logarithm of the count with
// respect to the logarithm of w[i].
func (s *Sum) Posterior(w []float64, sum []int, post []float64) (logCount float64, err error) {
	if !s.possible(sum) {
		return 0, fmt.Errorf("circuit: two numbers of %d digits cannot have the sum of digits %d, from the ones up", s.Digits, sum)
	}
	// Rows scaled to a largest weight of one keep long products in range; no digit is so improbable that all worlds with it
	// vanish: for up to ten digits a product of the least weights is no less than 1e-300.
	in, floor := s.inputs, min(1e-15, math.Pow(10, -150/float64(s.Digits)))
	for i := range 2 * s.Digits {
		row, to := w[base*i:base*i+base], in[s.Image(i):][:base]
		top := slices.Max(row)
		logCount += math.Log(top)
		for x, v := range row {
			to[x] = max(v/top, floor)
		}
	}
	s.SetSum(in, sum)
	count := s.Up(in)
	if !(count > 0) || math.IsInf(logCount, 0) || math.IsInf(count, 0) {
		return 0, fmt.Errorf("circuit: the sum of digits %d has the weighted count %v, want a positive number", sum, count)
	}
	dw := s.Down()
	for i := range 2 * s.Digits {
		at := s.Image(i)
		for x := range base {
			post[base*i+x] = in[at+x] * dw[at+x] / count
		}
	}
	return logCount + math.Log(count), nil
}

// Answer returns the digits of the most probable sum, the ones first, given the digit
// probabilities of the images, 2d rows of ten; see MostProbable for context, limit and exact.
func (s *Sum) Answer(ctx context.Context, w []float64, limit int) (sum []int, exact bool, err error) {
	for i := range 2 * s.Digits {
		copy(s.inputs[s.Image(i):][:base], w[base*i:])
	}
	s.SetSum(s.inputs, nil)
	query := make([]int, s.Digits+1)
	for p := range query {
		query[p] = s.Place(p)
	}
	sum, _, exact, err = s.MostProbable(ctx, s.inputs, query, limit)
	return sum, exact, err
}
