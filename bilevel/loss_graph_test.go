package bilevel

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// lossGraph is the graph of an objective's loss by rule weights and outputs.
type lossGraph struct {
	o       *Objective
	loss    *gorgonia.Node
	grads   gorgonia.Nodes // by w and g
	machine gorgonia.VM
}

func newLossGraph(t *testing.T, o *Objective, weights, outputs []float64) *lossGraph {
	t.Helper()
	graph := gorgonia.NewGraph()
	w, g := input(graph, "w", weights), input(graph, "g", outputs)
	loss, err := o.Loss(w, g)
	require.NoError(t, err)
	grads, err := gorgonia.Grad(loss, w, g)
	require.NoError(t, err)
	machine := nn.NewMachine(graph)
	t.Cleanup(func() { _ = machine.Close() })
	return &lossGraph{o, loss, grads, machine}
}

// run loads the first samples, and evaluates the loss and its gradients.
func (l *lossGraph) run(t *testing.T, samples int) (loss float64, dw, dg []float64) {
	t.Helper()
	var batch []int
	for i := range samples {
		batch = append(batch, i)
	}
	require.NoError(t, l.o.Load(batch))
	l.machine.Reset()
	require.NoError(t, nn.Execute(l.machine))
	return l.loss.Value().Data().(float64), slices.Clone(l.grads[0].Value().Data().([]float64)), slices.Clone(l.grads[1].Value().Data().([]float64))
}
