package bilevel

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// lossGraph is the graph of an objective's loss by rule weights and outputs.
type lossGraph struct {
	o       *Objective
	loss    *gorgonia.Node
	grads   gorgonia.Nodes // by w, g and the loss's own inputs
	machine gorgonia.VM
}

func newLossGraph(t *testing.T, o *Objective, weights, outputs []float64) *lossGraph {
	t.Helper()
	graph := gorgonia.NewGraph()
	w, g := leaf(graph, "w", weights), leaf(graph, "g", outputs)
	loss, err := o.Loss(w, g)
	require.NoError(t, err)
	grads, err := gorgonia.Grad(loss, append(gorgonia.Nodes{w, g}, o.Inputs()...)...)
	require.NoError(t, err)
	o.Differentiated(grads[2:])
	machine := nn.NewMachine(graph)
	t.Cleanup(func() { _ = machine.Close() })
	return &lossGraph{o, loss, grads, machine}
}

// run evaluates the loss of a batch and its gradients.
func (l *lossGraph) run(t *testing.T, batch []int) (loss float64, dw, dg []float64) {
	t.Helper()
	require.NoError(t, l.o.Load(batch))
	l.machine.Reset()
	require.NoError(t, nn.Execute(l.machine))
	return l.loss.Value().Data().(float64), copied(l.grads[0]), copied(l.grads[1])
}
