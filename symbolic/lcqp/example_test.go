package lcqp_test

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// One target y, one neural output g and the rule "g implies y" with weight 1:
// the potential is max(0, g − y)², and its optimum for g = 1 and ε = 0.1 is
// known: minimise (1 + ε)(1 − y)² + εy².
func Example() {
	p := &hlmrf.Program{
		Targets: []string{"y"}, Deep: []string{"g"},
		Rules: []hlmrf.Rule{{Text: "1: G -> Y ^2", Weight: 1, Squared: true}},
	}
	p.Potentials.Append([]int32{0}, []float64{-1}, []int32{0}, []float64{1}, 0)
	p.PotentialRule = []int32{0}

	in, err := lcqp.NewInstance(p, 0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := in.SetDeep([]float64{1}); err != nil {
		fmt.Println(err)
		return
	}
	y := 1.1 / 1.2
	sol := lcqp.Solution{
		Y: []float64{y}, Slack: []float64{1 - y}, Dual: []float64{2 * 1.1 * (1 - y)},
		LowerDual: []float64{0}, UpperDual: []float64{0}, SlackDual: []float64{0},
	}
	r := lcqp.Residuals(in, &sol)
	fmt.Printf("V = %.6f, optimal: %v\n", r.PrimalValue, r.Max() < 1e-12)

	phi, dg := make([]float64, 1), make([]float64, 1)
	in.Incompatibility(&sol, phi)
	in.DeepGradient(&sol, dg)
	fmt.Printf("dV/dw = %.6f, dV/dg = %.6f\n", phi[0], dg[0])
	// Output:
	// V = 0.091667, optimal: true
	// dV/dw = 0.006944, dV/dg = 0.183333
}
