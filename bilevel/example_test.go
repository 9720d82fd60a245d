package bilevel_test

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/bilevel"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// program has one target y and one neural output g, and wants y ≥ g (weight
// w₀, squared) and y small (weight w₁, linear).
func program() *lcqp.Template {
	p := &hlmrf.Program{
		Targets: []string{"Y"}, Deep: []string{"G"},
		Rules: []hlmrf.Rule{{Weight: 1, Squared: true}, {Weight: 0.4}},
	}
	p.Potentials.Append([]int32{0}, []float64{-1}, []int32{0}, []float64{1}, 0) // max(0, g − y)²
	p.Potentials.Append([]int32{0}, []float64{1}, nil, nil, 0)                  // max(0, y)
	p.PotentialRule = []int32{0, 1}
	t, err := lcqp.Compile(p)
	if err != nil {
		panic(err)
	}
	return t
}

func vector(g *gorgonia.ExprGraph, name string, x ...float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(x)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))))
}

// The energy loss of one example and its gradients: Φ(y*) for the weights and
// Bᵀμ* for the neural output.
func ExampleEnergy() {
	f, err := bilevel.New(program(), 1, bilevel.Options{Epsilon: 1e-6})
	if err != nil {
		panic(err)
	}
	graph := gorgonia.NewGraph()
	w, g := vector(graph, "w", 1, 0.4), vector(graph, "g", 0.9)
	value, err := f.Value(w, g)
	if err != nil {
		panic(err)
	}
	loss, err := bilevel.Energy(value)
	if err != nil {
		panic(err)
	}
	grads, err := gorgonia.Grad(loss, w, g)
	if err != nil {
		panic(err)
	}
	vm := gorgonia.NewTapeMachine(graph)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		panic(err)
	}
	fmt.Printf("y* = %.2f\n", f.Result(0).Y)
	fmt.Printf("loss %.3f\n", loss.Value().Data())
	fmt.Printf("dL/dw = %.3f\n", grads[0].Value().Data())
	fmt.Printf("dL/dg = %.3f\n", grads[1].Value().Data())
	// Output:
	// y* = [0.70]
	// loss 0.320
	// dL/dw = [0.040 0.700]
	// dL/dg = [0.400]
}
