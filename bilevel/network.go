package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Attach puts the loss of an objective on the output of a network's graph, with
// the rule weights w as its other input, differentiates it by the network's
// parameters, by w and by Inputs, and compiles the graph. w is bound, not copied:
// what is written there counts from the next run on. more are further losses on the
// graph, float64 scalars such as a Likelihood, that are added to the objective's.
//
// gradient returns the loss's gradient for w, of the last run of the graph. Like
// Loss and Compile, Attach is called once for an objective and a graph.
func Attach[T nn.Float](o *Objective, g *nn.Graph[T], w []float64, more ...*gorgonia.Node) (gradient func() []float64, err error) {
	node := WeightNode(g.ExprGraph(), w)
	loss, err := o.Loss(node, g.Output)
	if err != nil {
		return nil, err
	}
	for _, term := range more {
		if loss, err = gorgonia.Add(loss, term); err != nil {
			return nil, fmt.Errorf("bilevel: a further loss: %w", err)
		}
	}
	grads, err := g.Compile(loss, append(gorgonia.Nodes{node}, o.Inputs()...)...)
	if err != nil {
		return nil, err
	}
	o.Differentiated(grads[1:])
	return func() []float64 { return grads[0].Value().Data().([]float64) }, nil
}
