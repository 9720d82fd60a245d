package bilevel_test

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/symbolic/lcqp"
)

// A step of bilevel learning by hand: the neural output g is the only thing that
// is learned, so that inference answers the label y = 1. Any expression could
// stand in its place.
func ExampleObjective() {
	objective, err := bilevel.NewObjective(bilevel.Problem{
		Template: program(), Samples: 1,
		Label: func(_ int, latent *lcqp.Instance) error { return latent.Fix(0, 1) },
	}, bilevel.Settings{
		Loss: bilevel.LossMSE, Value: bilevel.Options{Epsilon: 1e-6},
		Lagrangian: bilevel.Lagrangian{ProxWeight: 1, EnergyCoefficient: 0.1, PointStep: 0.1},
	})
	if err != nil {
		panic(err)
	}
	weights, outputs := []float64{1, 0.4}, []float64{0.5}
	graph := gorgonia.NewGraph()
	w, g := vector(graph, "w", weights...), vector(graph, "g", outputs...)
	loss, err := objective.Loss(w, g)
	if err != nil {
		panic(err)
	}
	grads, err := gorgonia.Grad(loss, append(gorgonia.Nodes{w, g}, objective.Inputs()...)...)
	if err != nil {
		panic(err)
	}
	objective.Differentiated(grads[2:])
	vm := gorgonia.NewTapeMachine(graph)
	defer vm.Close()

	// y = (t, z*) and ι = M − V.
	if err := objective.Start(weights, [][]int{{0}}, func([]int) ([]float64, error) { return outputs, nil }); err != nil {
		panic(err)
	}
	fmt.Printf("start: y = %.2f, ι = %.3f\n", objective.Point(0), objective.Relaxation())
	value := g.Value().Data().([]float64)
	for epoch := 0; epoch < 3000 && objective.Relaxation() > 1e-3; epoch++ {
		if err := objective.Load([]int{0}); err != nil {
			panic(err)
		}
		if err := vm.RunAll(); err != nil {
			panic(err)
		}
		dg := grads[1].Value().Data().([]float64)[0]
		value[0] -= 0.1 * dg
		if _, err := objective.Step(weights, nil); err != nil {
			panic(err)
		}
		vm.Reset()
		if _, err := objective.EndEpoch(weights, max(dg, -dg)); err != nil {
			panic(err)
		}
	}
	fmt.Printf("end:   y = %.2f, ι < 0.001: %v, answer %.2f\n", objective.Point(0), objective.Relaxation() <= 1e-3, objective.Full().Result(0).Y)
	// Output:
	// start: y = [1.00], ι = 0.200
	// end:   y = [0.97], ι < 0.001: true, answer [0.92]
}

// The published tables list the multiplier of the proximal term.
func ExampleRho() {
	fmt.Println(bilevel.Rho(0.01), bilevel.ProxWeight(50))
	// Output: 50 0.01
}
