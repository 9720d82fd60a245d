// Package deepproblog is the learning signal of DeepProbLog (Manhaeve et al.,
// 2018) for additions of images: the digits are independent categorical random
// variables with the network's probabilities p = softmax(logits), the program
// says what their sum is, and learning maximises the probability of the sums
// that were observed,
//
//	L = −(1/A) Σ_a log P(sum_a | images of a).
//
// The probability is an exact weighted model count on a circuit (package
// tasks/mnistadd/circuit), so additions of any number of digits are the same
// program. Its gradient is what expectation maximisation would use: by a logit,
// p minus the posterior of the digit given the sum.
//
//	loss, err := deepproblog.New(2)
//	value, err := loss.Value(logits, grad, sums)  // grad is overwritten
//	sum, err := loss.Answer(ctx, probabilities)
//
// Errors: a sum that two such numbers cannot have, and logits that are no
// numbers. A Loss belongs to one goroutine.
package deepproblog

import (
	"context"
	"fmt"

	"hinge/tasks/mnistadd/circuit"
)

// classes is the number of digits.
const classes = 10

// Loss is the negative log-likelihood of sums of two d-digit numbers.
type Loss struct {
	sum     *circuit.Sum
	p, post []float64
}

// New compiles the additions of two d-digit numbers.
func New(digits int) (*Loss, error) {
	sum, err := circuit.Addition(digits)
	if err != nil {
		return nil, err
	}
	n := 2 * digits * classes
	return &Loss{sum: sum, p: make([]float64, n), post: make([]float64, n)}, nil
}

// Value returns the mean negative log-likelihood of the sums, each given by its d+1 digits
// from the ones up, and overwrites grad with its derivative. logits and grad are
// [len(sums)][2d][10], the images of the first number first.
func (l *Loss) Value(logits, grad []float64, sums [][]int) (float64, error) {
	n := len(l.p)
	if len(sums) == 0 || len(logits) != n*len(sums) || len(grad) != len(logits) {
		panic(fmt.Sprintf("deepproblog: %d logits and %d gradients for %d sums", len(logits), len(grad), len(sums)))
	}
	total, share := 0.0, 1/float64(len(sums))
	for a, sum := range sums {
		z, d := logits[a*n:(a+1)*n], grad[a*n:(a+1)*n]
		logP, err := l.sum.Posterior(z, sum, l.p, l.post)
		if err != nil {
			return 0, fmt.Errorf("deepproblog: addition %d: %w", a, err)
		}
		total -= logP
		for i, p := range l.p {
			d[i] = share * (p - l.post[i])
		}
	}
	return share * total, nil
}

// Answer returns the digits of the most probable sum, the ones first, for the digit
// probabilities of the images of one addition, [2d][10], or the
// context's error where that ends before.
func (l *Loss) Answer(ctx context.Context, probabilities []float64) ([]int, error) {
	sum, _, err := l.sum.Answer(ctx, probabilities, 0)
	return sum, err
}
