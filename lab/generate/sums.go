package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// sums are tasks on pairs of images of digits 0 to most of which only the sum is known. The
// pairs of digits to learn from and to choose by are few; those to infer are the same, and in
// files of their own all others.
type sums struct {
	most                int // largest digit
	pairs               [][2]int
	learn, valid, infer int // pairs of images of each pair of digits, in each order
	others              int
}

// mnistHalf has the pairs of rsbench's MNIST-Half.
func mnistHalf(rng *rand.Rand) dataset {
	s := sums{most: 4, pairs: [][2]int{{0, 0}, {0, 1}, {2, 3}, {2, 4}}, learn: 420, valid: 60, infer: 60, others: 15}
	return s.make(rng)
}

// mnistEvenOdd has the pairs of rsbench's MNIST-EvenOdd.
func mnistEvenOdd(rng *rand.Rand) dataset {
	s := sums{most: 9, pairs: [][2]int{{0, 6}, {2, 8}, {4, 6}, {4, 8}, {1, 5}, {3, 7}, {1, 9}, {3, 9}}, learn: 420, valid: 30, infer: 30, others: 3}
	return s.make(rng)
}

// make makes the data. Each image is in one pair. Files have what is true of all digits; models
// say which of it is told. The first image of each digit in learn is in a file of its own.
func (s *sums) make(rng *rand.Rand) dataset {
	d := dataset{}
	images := digits(rng)
	for x := range s.most + 1 {
		for y := range s.most + 1 {
			d.add("plus", x, y, x+y)
			d.add("possible", x, x+y)
		}
	}
	number, labelled := 0, map[int]bool{}
	pair := func(part string, digits [2]int) {
		number++
		var of [2]int
		for k, digit := range digits {
			of[k] = images.next(digit)
			for c := range s.most + 1 {
				d.add("digits_"+part+packed, of[k], c, truth(c == digit))
				if part == "learn" && !labelled[digit] {
					d.add(fmt.Sprintf("label_%d", digit), of[k], c, truth(c == digit))
				}
			}
			labelled[digit] = labelled[digit] || part == "learn"
		}
		d.add("pairs_"+part, number, of[0], of[1])
		for z := range 2*s.most + 1 {
			d.add("sums_"+part+packed, number, z, truth(z == digits[0]+digits[1]))
		}
	}
	both := func(part string, digits [2]int, times int) {
		for range times {
			pair(part, digits)
			if digits[0] != digits[1] {
				pair(part, [2]int{digits[1], digits[0]})
			}
		}
	}
	for _, digits := range s.pairs {
		both("learn", digits, s.learn)
		both("validation", digits, s.valid)
		both("infer", digits, s.infer)
	}
	for x := range s.most + 1 {
		for y := x; y <= s.most; y++ {
			if !slices.Contains(s.pairs, [2]int{x, y}) && !slices.Contains(s.pairs, [2]int{y, x}) {
				both("others", [2]int{x, y}, s.others)
			}
		}
	}
	return d
}
