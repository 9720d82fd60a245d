package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Energy is the energy loss (paper, section 3): the mean over the samples of the
// latent value function, the optimal value with the labels fixed,
//
//	L = (1/P) Σ_i V_{z*_i}(w, g_i).
//
// latent must be the value node of a ValueFunction whose instances have their
// labels fixed. The result is a float64 scalar.
func Energy(latent *gorgonia.Node) (*gorgonia.Node, error) { return reduce(latent, false) }

// StructuredPerceptron is the structured-perceptron loss (paper, section 3):
// the mean over the samples of the latent value minus the value at the MAP
// state,
//
//	L = (1/P) Σ_i ( V_{z*_i}(w, g_i) − V_{y*_i}(w, g_i) ) ≥ 0.
//
// latent and full must be value nodes of two ValueFunctions over the same
// template, the first with its labels fixed. The result is a float64 scalar.
func StructuredPerceptron(latent, full *gorgonia.Node) (*gorgonia.Node, error) {
	if !latent.Shape().Eq(full.Shape()) {
		return nil, fmt.Errorf("bilevel: structured perceptron loss: values of shapes %v and %v", latent.Shape(), full.Shape())
	}
	return perceptron(latent, full, false, 1)
}

// perceptron is the mean of the latent values, or their sum, less share times that of
// the full ones.
func perceptron(latent, full *gorgonia.Node, sum bool, share float64) (*gorgonia.Node, error) {
	a, err := reduce(latent, sum)
	if err != nil {
		return nil, err
	}
	b, err := reduce(full, sum)
	if err != nil {
		return nil, err
	}
	if share != 1 {
		if b, err = gorgonia.Mul(b, gorgonia.NewConstant(share)); err != nil {
			return nil, fmt.Errorf("bilevel: structured perceptron loss: %w", err)
		}
	}
	d, err := gorgonia.Sub(a, b)
	if err != nil {
		return nil, fmt.Errorf("bilevel: structured perceptron loss: %w", err)
	}
	return d, nil
}

// reduce is the mean of the samples' values, or their sum.
func reduce(values *gorgonia.Node, sum bool) (*gorgonia.Node, error) {
	f := gorgonia.Mean
	if sum {
		f = gorgonia.Sum
	}
	l, err := f(values)
	if err != nil {
		return nil, fmt.Errorf("bilevel: loss: %w", err)
	}
	return l, nil
}
