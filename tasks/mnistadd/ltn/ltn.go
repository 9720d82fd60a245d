// Package ltn is the learning signal of logic tensor networks (Badreddine et
// al., 2022) for additions of images, in product real logic, without the small
// offset on truth values that their stable form has: products are taken in
// logarithms here. With
// u(digit) = softmax(logits) the truth of "this image shows that digit", the
// knowledge is
//
//	∀ additions  ∃ digits : digits add up to the sum.  all images show their digits
//
// where ∧ is the product, ∃ the generalised mean of exponent q over the digits
// that add up, ∀ one minus the root mean square of the distances from truth:
//
//	e_a = ( (1/C) Σ_{digits with sum_a} Π u^q )^(1/q),   L = ( (1/A) Σ_a (1 − e_a)² )^(1/2).
//
// C is the number of digit combinations. Exponent 1 is the mean and large ones
// approach the maximum; the published experiments raise it as they go (Exponent).
// The sum over combinations is a weighted model count with weights u^q, so it is
// computed on the circuit of package tasks/mnistadd/circuit, without listing them.
//
// Answers are the sums of each image's most probable digit, as published. Errors:
// a sum that cannot be, logits that are no numbers. A Loss belongs to one
// goroutine.
package ltn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"hinge/nn"
	"hinge/tasks/mnistadd/circuit"
)

// classes is the number of digits.
const classes = 10

// Loss is one minus the satisfaction of the knowledge.
type Loss struct {
	sum                        *circuit.Sum
	p, z, prior, post, uniform []float64
	truths                     []float64
}

// New compiles the additions of two d-digit numbers.
func New(digits int) (*Loss, error) {
	sum, err := circuit.Addition(digits)
	if err != nil {
		return nil, err
	}
	n := 2 * digits * classes
	return &Loss{sum: sum, p: make([]float64, n), z: make([]float64, n), prior: make([]float64, n), post: make([]float64, n), uniform: make([]float64, n)}, nil
}

// Exponent is the published schedule of q over a run: 1 in the first fifth, then
// 2 and 4 for a fifth each, then 6. progress is the part of the run that is done,
// 0 to 1.
func Exponent(progress float64) float64 {
	switch {
	case progress < 0.2:
		return 1
	case progress < 0.4:
		return 2
	case progress < 0.6:
		return 4
	}
	return 6
}

// Value returns the loss for exponent q ≥ 1 and overwrites grad with its
// derivative. logits and grad are [len(sums)][2d][10], the images of the first
// number first.
func (l *Loss) Value(logits, grad []float64, sums [][]int, q float64) (float64, error) {
	n := len(l.p)
	if len(sums) == 0 || len(logits) != n*len(sums) || len(grad) != len(logits) {
		panic(fmt.Sprintf("ltn: %d logits and %d gradients for %d sums", len(logits), len(grad), len(sums)))
	}
	if !(q >= 1) {
		panic(fmt.Sprintf("ltn: exponent %v, want 1 or more", q))
	}
	l.truths = l.truths[:0]
	square := 0.0
	for a, sum := range sums {
		e, err := l.exists(logits[a*n:(a+1)*n], grad[a*n:(a+1)*n], sum, q)
		if err != nil {
			return 0, fmt.Errorf("ltn: addition %d: %w", a, err)
		}
		l.truths = append(l.truths, e)
		square += (1 - e) * (1 - e)
	}
	loss := math.Sqrt(square / float64(len(sums)))
	for a, e := range l.truths {
		// dL/de; at L = 0 every e is 1 and the gradient of each e vanishes.
		factor := 0.0
		if loss > 0 {
			factor = -(1 - e) / (float64(len(sums)) * loss)
		}
		for i := a * n; i < (a+1)*n; i++ {
			grad[i] *= factor
		}
	}
	return loss, nil
}

// exists returns e of one addition and writes its derivative by the logits:
// e·(share − u), with share the part each digit has in the sum over combinations.
func (l *Loss) exists(logits, grad []float64, sum []int, q float64) (float64, error) {
	logC, err := l.sum.Posterior(l.uniform, sum, l.prior, l.post) // C over all combinations
	if err != nil {
		return 0, err
	}
	nn.Softmax(l.p, logits, classes)
	for i, z := range logits {
		l.z[i] = q * z
	}
	logZ, err := l.sum.Posterior(l.z, sum, l.prior, l.post)
	if err != nil {
		return 0, err
	}
	// By row, u^q is a multiple of the softmax of q·logits, and 1 is ten times the uniform probability.
	for i := 0; i < len(l.p); i += classes {
		logZ += q*math.Log(slices.Max(l.p[i:][:classes])) - math.Log(slices.Max(l.prior[i:][:classes])) - math.Log(classes)
	}
	e := math.Exp((logZ - logC) / q)
	for i, p := range l.p {
		grad[i] = e * (l.post[i] - p)
	}
	return e, nil
}

// Answer returns the sum of the most probable digits by its digits, the ones first, for the
// digit probabilities of the images of one addition, [2d][10].
func (l *Loss) Answer(_ context.Context, probabilities []float64) ([]int, error) {
	d := l.sum.Digits
	sum := make([]int, d+1)
	for p := range d {
		for _, image := range []int{d - 1 - p, 2*d - 1 - p} {
			sum[p] += floats.MaxIdx(probabilities[classes*image : classes*(image+1)])
		}
		sum[p], sum[p+1] = sum[p]%classes, sum[p]/classes
	}
	return sum, nil
}
