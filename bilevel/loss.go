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
	d, err := difference(latent, full)
	if err != nil {
		return nil, err
	}
	return reduce(d, false)
}

func difference(latent, full *gorgonia.Node) (*gorgonia.Node, error) {
	d, err := gorgonia.Sub(latent, full)
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
