package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Term is a further loss on the neural outputs g: a float64 scalar in their graph.
type Term func(g *gorgonia.Node) (*gorgonia.Node, error)

// KnownLabels is Likelihood as a Term.
func KnownLabels(labels []int, weights []float64) Term {
	return func(g *gorgonia.Node) (*gorgonia.Node, error) { return Likelihood(g, labels, weights) }
}

// Attach puts the loss of an objective on the output of a network's graph, with
// the rule weights w as its other input, differentiates it by the network's
// parameters, by w and by Inputs, and compiles the graph. w is bound, not copied:
// what is written there counts from the next run on. more are added to the objective's
// loss.
//
// gradient returns the gradient of the loss with respect to w in the last run of the graph.
// Like Loss and Compile, Attach is called once for an objective and a graph. A loss without
// rule weights has an empty w and an empty gradient. Programs without neural outputs are learned
// on nn.NoNetwork.
func Attach[T nn.Float](o *Objective, g *nn.Graph[T], w []float64, more ...Term) (gradient func() []float64, err error) {
	var node *gorgonia.Node
	var inputs gorgonia.Nodes
	if len(w) > 0 {
		node = WeightNode(g.ExprGraph(), w)
		inputs = gorgonia.Nodes{node}
	}
	loss, err := o.Loss(node, g.Output)
	if err != nil {
		return nil, err
	}
	for _, term := range more {
		further, err := term(g.Output)
		if err != nil {
			return nil, err
		}
		if loss, err = gorgonia.Add(loss, further); err != nil {
			return nil, fmt.Errorf("bilevel: a further loss: %w", err)
		}
	}
	grads, err := g.Compile(loss, append(inputs, o.Inputs()...)...)
	if err != nil {
		return nil, err
	}
	o.Differentiated(grads[len(inputs):])
	if node == nil {
		return func() []float64 { return w }, nil
	}
	return func() []float64 { return grads[0].Value().Data().([]float64) }, nil
}
