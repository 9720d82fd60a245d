package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Loss is a learning loss behind an Objective: its expression over optimal values,
// and what it does and remembers between two runs of the graph. There are four: the
// energy loss (energy.go), the structured perceptron (perceptron.go), the loss of the
// answer (answer.go) and the augmented Lagrangian of the bilevel losses (lagrangian.go). The methods are called by those of
// the Objective of the like names, which say more.
type Loss interface {
	// solvers solve what the loss needs beside V_{z*}.
	solvers() []solver
	// express adds the loss to the graph.
	express(w, g *gorgonia.Node) (*gorgonia.Node, error)
	// inputs are the loss's own variables in the graph.
	inputs() gorgonia.Nodes
	start(w []float64, batches [][]int, g func(batch []int) ([]float64, error)) error
	load(batch []int)
	// step has the gradients for inputs.
	step(w, dw []float64, grads gorgonia.Nodes) (Terms, error)
	endEpoch(w []float64, neural float64) (Outcome, error)
	// loops are the outer loops; a loss without any has started from the first.
	loops() *outer
	// sample returns y_i, s_i and λ_i of a sample.
	sample(i int) (point []float64, slack, multiplier float64)
	// arrays lists what is remembered beside the states of the solvers, restored is
	// given it after saved data has been copied in.
	arrays() []Array
	restored(arrays []Array)
	// share is told the number of parts, collect brings what is remembered to rank 0.
	share(parts int)
	collect() error
}

// newLoss makes the loss that the settings name.
func newLoss(o *Objective) (Loss, error) {
	if o.set.Loss == LossEnergy {
		return &energy{latent: o.latent.ValueFunction, as: o.set.Reduction}, nil
	}
	full, err := o.newSolver("map")
	if err != nil {
		return nil, err
	}
	if o.set.Loss == LossSP {
		return &perceptron{energy: energy{latent: o.latent.ValueFunction, as: o.set.Reduction}, full: full}, nil
	}
	if o.set.Loss == LossAnswer {
		return newAnswer(o, full)
	}
	return newLagrangian(o, full)
}

// Reduction says how the values of a batch become its loss.
type Reduction int

const (
	// Mean is the mean over the samples, the default.
	Mean Reduction = iota
	// Sum is their sum.
	Sum
)

// of adds the reduction to the graph.
func (r Reduction) of(values *gorgonia.Node) (*gorgonia.Node, error) {
	f := gorgonia.Mean
	if r == Sum {
		f = gorgonia.Sum
	}
	l, err := f(values)
	if err != nil {
		return nil, fmt.Errorf("bilevel: loss: %w", err)
	}
	return l, nil
}

// reduction is the one option of a loss, or the mean.
func reduction(as []Reduction) Reduction {
	if len(as) == 0 {
		return Mean
	}
	return as[len(as)-1]
}

// stateless is what a loss is that remembers nothing from step to step and has no variables
// of its own.
type stateless struct{}

func (stateless) inputs() gorgonia.Nodes                                         { return nil }
func (stateless) start([]float64, [][]int, func([]int) ([]float64, error)) error { return nil }
func (stateless) load([]int)                                                     {}
func (stateless) loops() *outer                                                  { return &outer{started: true} }
func (stateless) sample(int) (point []float64, slack, multiplier float64)        { return nil, 0, 0 }
func (stateless) arrays() []Array                                                { return nil }
func (stateless) restored([]Array)                                               {}
func (stateless) share(int)                                                      {}
func (stateless) collect() error                                                 { return nil }

func (stateless) endEpoch([]float64, float64) (Outcome, error) {
	return Outcome{Action: Continue}, nil
}
