package circuit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hinge/nn"
)

// Sum is the addition of two numbers of Digits digits each, as a circuit.
type Sum struct {
	Digits int
	*Circuit
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
	return &Sum{digits, c}, nil
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

// possible reports whether two numbers of the given length can have a sum with these digits,
// from the ones up.
func (s *Sum) possible(places []int) bool {
	bad := slices.ContainsFunc(places, func(z int) bool { return z < 0 || z >= base })
	return !bad && len(places) == s.Digits+1 && places[s.Digits] <= 1
}

// Posterior writes to prior the probability of each digit of each image, the softmax of the rows of
// z, and to post the same given the sum, whose probability's logarithm it returns. All three have 2d
// rows of ten. The sum has d+1 digits, the ones first. An impossible sum is an error.
//
// This is the E-step of learning from sums: post − prior is the derivative of the logarithm by z.
func (s *Sum) Posterior(z []float64, sum []int, prior, post []float64) (logP float64, err error) {
	if !s.possible(sum) {
		return 0, fmt.Errorf("circuit: two numbers of %d digits cannot have the sum of digits %d, from the ones up", s.Digits, sum)
	}
	for p, z := range sum {
		row := s.w[s.Offset(s.Place(p)):][:base]
		clear(row)
		row[z].x = 1
	}
	nn.Softmax(prior, z, base)
	// Rows scaled to a largest weight of one keep long products in range.
	for i := range 2 * s.Digits {
		z, p, to := z[base*i:][:base], prior[base*i:][:base], s.w[s.Image(i):][:base]
		top, high := slices.Max(p), slices.Max(z)
		logP += math.Log(top)
		for x, v := range p {
			if to[x] = (number{v / top, 0}); v < 1/most {
				to[x] = number{1, z[x] - high}
			}
		}
	}
	count := s.up()
	logP += math.Log(count.x) + count.power
	if math.IsNaN(logP) || math.IsInf(logP, 0) {
		return 0, fmt.Errorf("circuit: the probability of the sum of digits %d has the logarithm %v, want a finite number", sum, logP)
	}
	share := s.Down()
	for i := range 2 * s.Digits {
		copy(post[base*i:][:base], share[s.Image(i):])
	}
	return logP, nil
}

// Answer returns the digits of the most probable sum, the ones first, given the digit
// probabilities of the images, 2d rows of ten; see MostProbable for context, limit and exact.
func (s *Sum) Answer(ctx context.Context, w []float64, limit int) (sum []int, exact bool, err error) {
	all := slices.Repeat([]float64{1}, s.Inputs()) // also of the sum's digits: every sum is asked for
	for i := range 2 * s.Digits {
		copy(all[s.Image(i):][:base], w[base*i:])
	}
	query := make([]int, s.Digits+1)
	for p := range query {
		query[p] = s.Place(p)
	}
	sum, _, exact, err = s.MostProbable(ctx, all, query, limit)
	return sum, exact, err
}
