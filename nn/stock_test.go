package nn

import (
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// stock evaluates Σ out∘weight of a graph of gorgonia's own ops over one input
// x and the parameters, and returns out and the gradients by all of them.
func stock(t *testing.T, inputs []*tensor.Dense, weight func(out []float64) []float64,
	build func(g *gorgonia.ExprGraph, in gorgonia.Nodes) *gorgonia.Node) (out []float64, grads [][]float64) {
	t.Helper()
	run := func(weights []float64) ([]float64, [][]float64) {
		g := gorgonia.NewGraph()
		in := make(gorgonia.Nodes, len(inputs))
		for i, v := range inputs {
			in[i] = gorgonia.NewTensor(g, tensor.Float64, v.Dims(), gorgonia.WithName(string(rune('a'+i))),
				gorgonia.WithShape(v.Shape()...), gorgonia.WithValue(v.Clone().(*tensor.Dense)))
		}
		y := build(g, in)
		var result gorgonia.Value
		gorgonia.Read(y, &result)
		var gr gorgonia.Nodes
		if weights != nil {
			w := gorgonia.NewTensor(g, tensor.Float64, y.Shape().Dims(), gorgonia.WithName("weights"),
				gorgonia.WithShape(y.Shape()...), gorgonia.WithValue(valueOf(weights, y.Shape())))
			loss := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.HadamardProd(y, w))))
			var err error
			if gr, err = gorgonia.Grad(loss, in...); err != nil {
				t.Fatal(err)
			}
		}
		vm := gorgonia.NewTapeMachine(g)
		defer vm.Close()
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		var grads [][]float64
		for _, n := range gr {
			grads = append(grads, append([]float64(nil), n.Value().Data().([]float64)...))
		}
		return append([]float64(nil), result.Data().([]float64)...), grads
	}
	out, _ = run(nil)
	return run(weight(out))
}
