package bilevel_test

import (
	"fmt"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/optim"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// features has four targets. A telling rule, Feature(X) -> Y(X), is right about
// three of them; an idle rule, max(0, y − 1), is never broken and says nothing.
func features() *lcqp.Template {
	p := &hlmrf.Program{
		Targets: []string{"Y(a)", "Y(b)", "Y(c)", "Y(d)"},
		Rules:   []hlmrf.Rule{{Text: "Feature(X) -> Y(X)", Weight: 1, Squared: true}, {Text: "idle", Weight: 1, Squared: true}},
	}
	for k := range int32(4) {
		p.Potentials.Append([]int32{k}, []float64{-1}, nil, nil, 1) // max(0, 1 − y)²
		p.Potentials.Append([]int32{k}, []float64{1}, nil, nil, -1) // max(0, y − 1)²
		p.PotentialRule = append(p.PotentialRule, 0, 1)
	}
	t, err := lcqp.Compile(p)
	if err != nil {
		panic(err)
	}
	return t
}

// Value-based losses collapse: the energy of the labels is least where all
// weight lies on the rule that says nothing, and the energy landscape is flat.
// A bilevel loss asks for the right minimiser instead: as all four targets look
// alike to the rules, its best answer is the share of positive labels, 3/4, to which 3000 epochs
// come near.
func ExampleAttach() {
	labels := []float64{1, 1, 1, 0}
	template, opt := features(), bilevel.Options{Epsilon: 0.1}
	for _, loss := range []bilevel.LossName{bilevel.LossEnergy, bilevel.LossBCE} {
		objective, err := bilevel.NewObjective(bilevel.Problem{
			Template: template, Samples: 1,
			Label: func(_ int, latent *lcqp.Instance) error { return bilevel.FixLabels(latent, labels) },
		}, bilevel.Settings{Loss: loss, Lagrangian: bilevel.Lagrangian{
			EnergyCoefficient: 0.1, ProxWeight: 0.5, PointStep: 0.05,
		}, Value: opt})
		if err != nil {
			panic(err)
		}
		w, graph := []float64{0.5, 0.5}, nn.NoNetwork[float64]()
		defer graph.Close() //nolint:errcheck // nothing was written
		gradient, err := bilevel.Attach(objective, graph, w)
		if err != nil {
			panic(err)
		}
		if err := objective.Start(w, [][]int{{0}}, nil); err != nil {
			panic(err)
		}
		method := &optim.WeightStep{WeightOptions: optim.WeightOptions{Step: 0.05}}
		for epoch := range 3000 {
			err := objective.Load([]int{0})
			if err == nil {
				err = graph.Run(nil)
			}
			if err == nil {
				_, err = objective.Step(w, gradient())
			}
			if err == nil {
				err = method.Update(w, gradient(), epoch)
			}
			if err == nil {
				_, err = objective.EndEpoch(w, 0)
			}
			if err != nil {
				panic(err)
			}
		}
		model, err := bilevel.New(template, 1, opt)
		if err != nil {
			panic(err)
		}
		if err := model.Solve(w, nil); err != nil {
			panic(err)
		}
		fmt.Printf("%-6s weights %.2f answer %.2f\n", loss, w, model.Result(0).Y)
	}
	// Output:
	// energy weights [0.00 1.00] answer [0.50 0.50 0.50 0.50]
	// bce    weights [0.23 0.77] answer [0.77 0.77 0.77 0.77]
}
