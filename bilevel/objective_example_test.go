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

	if err := objective.Start(weights, [][]int{{0}}, func([]int) ([]float64, error) { return outputs, nil }); err != nil {
		panic(err)
	}
	value := g.Value().Data().([]float64)
	var end bilevel.Outcome
	for epoch := 0; epoch < 3000 && (epoch == 0 || end.Relaxation > 1e-3); epoch++ {
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
		if end, err = objective.EndEpoch(weights, max(dg, -dg)); err != nil {
			panic(err)
		}
		if epoch == 0 { // ι = M − V at the start, where y = (t, z*)
			fmt.Printf("start: ι = %.3f\n", end.Relaxation)
		}
	}
	full, err := bilevel.New(program(), 1, bilevel.Options{Epsilon: 1e-6})
	if err != nil {
		panic(err)
	}
	if err := full.Solve(weights, value); err != nil {
		panic(err)
	}
	fmt.Printf("end:   ι < 0.001: %v, answer %.2f\n", end.Relaxation <= 1e-3, full.Result(0).Y)
	// Output:
	// start: ι = 0.200
	// end:   ι < 0.001: true, answer [0.92]
}

// The published tables list the multiplier of the proximal term.
func ExampleRho() {
	fmt.Println(bilevel.Rho(0.01))
	// Output: 50
}
