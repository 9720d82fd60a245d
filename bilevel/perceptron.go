package bilevel

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
)

// StructuredPerceptron is the structured-perceptron loss (paper, section 3):
// the mean over the samples of the latent value minus the value at the MAP
// state,
//
//	L = (1/P) Σ_i ( V_{z*_i}(w, g_i) − V_{y*_i}(w, g_i) ) ≥ 0,
//
// or, with Sum, their sum. latent and full must be value nodes of two ValueFunctions over the
// same template, the first with its labels fixed. If full has fewer samples, these represent
// all: the loss is then an estimate, and may be negative. The result is a float64 scalar.
func StructuredPerceptron(latent, full *gorgonia.Node, as ...Reduction) (*gorgonia.Node, error) {
	n, m := latent.Shape().TotalSize(), full.Shape().TotalSize()
	if m > n {
		return nil, fmt.Errorf("bilevel: structured perceptron loss: %d latent values, but %d full ones", n, m)
	}
	a, err := Energy(latent, as...)
	if err != nil {
		return nil, err
	}
	b, err := Energy(full, as...)
	if err != nil {
		return nil, err
	}
	if m < n && slices.Contains(as, Sum) {
		if b, err = gorgonia.Mul(b, gorgonia.NewConstant(float64(n)/float64(m))); err != nil {
			return nil, fmt.Errorf("bilevel: structured perceptron loss: %w", err)
		}
	}
	d, err := gorgonia.Sub(a, b)
	if err != nil {
		return nil, fmt.Errorf("bilevel: structured perceptron loss: %w", err)
	}
	return d, nil
}

// perceptronKind: the energy loss, with problems without labels in addition.
var perceptronKind = Kind{
	Name: LossSP, Everywhere: true, Solves: true, Unlabelled: true, Draws: true, Sums: true,
	New: func(o *Objective) (Loss, error) {
		full, err := o.newSolver("map")
		return &perceptron{energy: *newEnergy(o), full: full}, err
	},
}

// perceptron is the structured-perceptron loss of an Objective: the energy loss minus the
// optimal value of the problems without fixed labels.
type perceptron struct {
	energy
	full solver
}

func (l *perceptron) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	latent, err := l.latent.Value(w, g)
	if err != nil {
		return nil, err
	}
	full, err := l.full.Value(w, g)
	if err != nil {
		return nil, err
	}
	return StructuredPerceptron(latent, full, l.as)
}

func (l *perceptron) Step(w, dw []float64, grads gorgonia.Nodes) (Terms, error) {
	t, err := l.energy.Step(w, dw, grads)
	share := float64(t.Samples) / float64(l.full.Samples())
	for _, v := range l.full.Values() {
		t.Energy -= share * v
	}
	t.Lagrangian = t.Energy
	return t, err
}
