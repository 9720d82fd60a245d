package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Loss is a learning loss behind an Objective: its expression over the rule weights w and the
// neural outputs g, and its state between runs of the graph. An Objective calls the methods
// from its own methods of the same names, whose comments say more. A loss without state embeds
// Stateless and implements two or three methods. Kind gives it a name.
type Loss interface {
	// Express adds the loss of the loaded batch to the graph of w and g: a float64 scalar.
	// Objective.Latent and the value functions of Objective.Unlabelled have the optimal
	// values of a batch as nodes; Function makes a node of a Go function.
	Express(w, g *gorgonia.Node) (*gorgonia.Node, error)
	// Load sets the samples of the next run of the graph.
	Load(batch []int) error
	// Step ends a step, after the run. grads have the gradients for Inputs.
	Step(w, dw []float64, grads gorgonia.Nodes) (Terms, error)
	// Satisfaction returns false to leave it to the problems with fixed labels.
	Satisfaction(out []float64) bool

	// The rest is the state between steps. Inputs are the loss's own variables in the graph.
	Inputs() gorgonia.Nodes
	// Start sets where they begin; Started reports whether the loss has its starting points.
	Start(w []float64, batches [][]int, g func(batch []int) ([]float64, error)) error
	Started() bool
	// EndEpoch ends an epoch with the weights w.
	EndEpoch(w []float64, neural float64) (Outcome, error)
	// Arrays lists the state besides the states of the solvers. Restored is called after saved
	// data has been copied into these arrays.
	Arrays() []Array
	Restored(arrays []Array)
	// Share sets the number of parts; Collect sends the state to rank 0.
	Share(parts int)
	Collect() error
}

func newLoss(o *Objective) (Loss, error) {
	k, _ := KindOf(o.set.Loss)
	switch {
	case o.set.New != nil:
		return o.set.New(o)
	case k.New == nil:
		return nil, fmt.Errorf("bilevel: the loss %s is made by the task that has it: Settings.New is missing", k.Name)
	}
	return k.New(o)
}

// Function adds a Go function of w and g to their graph, for a loss that is no expression
// over optimal values: f returns the value, a float64 scalar, and writes the derivatives,
// which are zero before.
// g may be of float32; w or g may be nil, and are empty then.
func Function(name string, w, g *gorgonia.Node, f func(w, g, dw, dg []float64) (float64, error)) (*gorgonia.Node, error) {
	var x, dx [2][]float64 // w and g, and the derivatives by them
	var in gorgonia.Nodes
	var derivatives [][]float64
	var place []int // place[k] is 0 if input k is w, 1 if it is g
	for i, n := range []*gorgonia.Node{w, g} {
		if n != nil {
			dx[i] = make([]float64, n.Shape().TotalSize())
			in, derivatives, place = append(in, n), append(derivatives, dx[i]), append(place, i)
		}
	}
	return scalar(name, in, derivatives, func(values [][]float64) (float64, error) {
		for k, i := range place {
			x[i] = values[k]
			clear(dx[i])
		}
		return f(x[0], x[1], dx[0], dx[1])
	})
}

// Reduction selects how the values of a batch become its loss.
type Reduction int

const (
	// Mean is the mean over the samples, the default.
	Mean Reduction = iota
	// Sum is their sum.
	Sum
)

// factor is that between the sum over the samples and the loss.
func (r Reduction) factor(samples int) float64 {
	if r == Sum {
		return 1
	}
	return 1 / float64(samples)
}

// Stateless is embedded by a loss without state between steps and without variables of its own.
type Stateless struct{}

func (Stateless) Load([]int) error                                               { return nil }
func (Stateless) Satisfaction([]float64) bool                                    { return false }
func (Stateless) Inputs() gorgonia.Nodes                                         { return nil }
func (Stateless) Start([]float64, [][]int, func([]int) ([]float64, error)) error { return nil }
func (Stateless) Started() bool                                                  { return true }
func (Stateless) Arrays() []Array                                                { return nil }
func (Stateless) Restored([]Array)                                               {}
func (Stateless) Share(int)                                                      {}
func (Stateless) Collect() error                                                 { return nil }

// Step returns no terms: the loss is the value of its expression.
func (Stateless) Step([]float64, []float64, gorgonia.Nodes) (Terms, error) { return Terms{}, nil }

func (Stateless) EndEpoch([]float64, float64) (Outcome, error) {
	return Outcome{Action: Continue}, nil
}
