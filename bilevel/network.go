package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn"
)

// Term is a further loss on the neural outputs g: a float64 scalar in their graph.
type Term func(g *gorgonia.Node) (*gorgonia.Node, error)

// KnownLabels is Likelihood as a Term.
func KnownLabels(labels []int, weights []float64) Term {
	return func(g *gorgonia.Node) (*gorgonia.Node, error) { return Likelihood(g, labels, weights) }
}

// Further is a further loss that a Go function computes: of the numbers x of a node of the
// graph, their value and derivatives dx.
func Further(name string, x *gorgonia.Node, f func(x, dx []float64) (float64, error)) (*gorgonia.Node, error) {
	n := x.Shape().TotalSize()
	wide, dx := make([]float64, n), make([]float64, n)
	op := &function{name: name, in: gorgonia.Nodes{x}, out: tensor.Float64, dims: tensor.ScalarShape()}
	op.run = func(in []gorgonia.Value) (gorgonia.Value, error) {
		switch d := in[0].Data().(type) {
		case []float64:
			copy(wide, d)
		case []float32:
			for i, v := range d {
				wide[i] = float64(v)
			}
		default:
			return nil, fmt.Errorf("bilevel: %s: got %v, want float32 or float64", name, in[0].Dtype())
		}
		clear(dx)
		v, err := f(wide, dx)
		return gorgonia.NewF64(v), err
	}
	op.back = []backward{func(up, out []float64) {
		for i, d := range dx {
			out[i] = up[0] * d
		}
	}}
	return op.apply()
}

// Attach puts the loss of an objective on the output of a network's graph, with
// the rule weights w as its other input, differentiates it by the network's
// parameters, by w and by Inputs, and compiles the graph. w is bound, not copied:
// what is written there counts from the next run on. more are added to the objective's
// loss.
//
// gradient returns the loss's gradient for w, of the last run of the graph. Like
// Loss and Compile, Attach is called once for an objective and a graph.
func Attach[T nn.Float](o *Objective, g *nn.Graph[T], w []float64, more ...Term) (gradient func() []float64, err error) {
	node := WeightNode(g.ExprGraph(), w)
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
	grads, err := g.Compile(loss, append(gorgonia.Nodes{node}, o.Inputs()...)...)
	if err != nil {
		return nil, err
	}
	o.Differentiated(grads[1:])
	return func() []float64 { return grads[0].Value().Data().([]float64) }, nil
}
