package infer_test

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// voters is a program with two targets and one neural output g: the network's
// opinion that a votes for a party, friendship, and a prior against it.
func voters() *hlmrf.Program {
	p := &hlmrf.Program{
		Targets: []string{"Votes(a)", "Votes(b)"}, Deep: []string{"Net(a)"},
		Rules: []hlmrf.Rule{
			{Text: "2: Net(X) -> Votes(X) ^2", Weight: 2, Squared: true},
			{Text: "1: Friends(X,Y) & Votes(X) -> Votes(Y) ^2", Weight: 1, Squared: true},
			{Text: "0.5: !Votes(X)", Weight: 0.5},
		},
	}
	add := func(rule int32, col []int32, val []float64, deep []int32, dval []float64) {
		p.AddPotential(rule, col, val, deep, dval, 0)
	}
	add(0, []int32{0}, []float64{-1}, []int32{0}, []float64{1})
	add(1, []int32{0, 1}, []float64{1, -1}, nil, nil)
	add(2, []int32{0}, []float64{1}, nil, nil)
	add(2, []int32{1}, []float64{1}, nil, nil)
	return p
}

func Example() {
	in, err := lcqp.NewInstance(voters(), 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := in.SetDeep([]float64{0.9}); err != nil {
		fmt.Println(err)
		return
	}
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil {
		fmt.Println(err)
		return
	}
	if err := res.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("y = %.4f, energy %.4f, V = %.4f\n", res.Y, res.Energy, res.PrimalValue)

	phi, dg := make([]float64, in.Rules), make([]float64, in.Deep)
	in.Incompatibility(&res.Solution, phi)
	in.DeepGradient(&res.Solution, dg)
	fmt.Printf("dV/dw = %.4f, dV/dg = %.4f\n", phi, dg)
	// Output:
	// y = [0.6410 0.3859], energy 0.7127, V = 0.7252
	// dV/dw = [0.0671 0.0651 1.0269], dV/dg = [1.0411]
}

// In learning the same template is solved again and again: the warm state
// carries the multipliers from one step to the next, and latent inference only
// fixes labels.
func ExampleResult_SaveWarm() {
	in, err := lcqp.NewInstance(voters(), 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	var full, latent infer.Result
	var warm infer.Warm
	for _, g := range []float64{0.5, 0.6, 0.7} {
		if err := in.SetDeep([]float64{g}); err != nil {
			fmt.Println(err)
			return
		}
		in.FreeAll()
		if err := infer.Solve(in, &warm, infer.Settings{}, &full); err != nil {
			fmt.Println(err)
			return
		}
		full.SaveWarm(&warm)
		if err := in.Fix(1, 1); err != nil { // the label of b
			fmt.Println(err)
			return
		}
		if err := infer.Solve(in, nil, infer.Settings{}, &latent); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("g = %.1f: V = %.4f, with the label %.4f\n", g, full.PrimalValue, latent.PrimalValue)
	}
	// Output:
	// g = 0.5: V = 0.3150, with the label 0.7417
	// g = 0.6: V = 0.4164, with the label 0.7934
	// g = 0.7: V = 0.5185, with the label 0.8455
}

// Contradicting hard rules are reported by name, with a proof.
func ExampleCertificate() {
	p := &hlmrf.Program{
		Targets:   []string{"Rain", "Sun"},
		HardRules: []hlmrf.Rule{{Text: "Rain + Sun = 1 .", Source: "m.psl:1:1"}, {Text: "Rain >= 0.8 .", Source: "m.psl:2:1"}, {Text: "Sun >= 0.8 .", Source: "m.psl:3:1"}},
	}
	p.Constraints.Append([]int32{0, 1}, []float64{1, 1}, nil, nil, -1)
	p.Constraints.Append([]int32{0}, []float64{-1}, nil, nil, 0.8)
	p.Constraints.Append([]int32{1}, []float64{-1}, nil, nil, 0.8)
	p.ConstraintRule = []int32{0, 1, 2}
	p.Relations = []hlmrf.Relation{hlmrf.Equal, hlmrf.LessEqual, hlmrf.LessEqual}
	in, err := lcqp.NewInstance(p, 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err())
	fmt.Printf("violated by %.1f in all\n", res.Certificate.Margin(in))
	// Output:
	// infer: infeasible hard constraints: row 0 of m.psl:1:1 (Rain + Sun = 1 .), row 1 of m.psl:2:1 (Rain >= 0.8 .), row 2 of m.psl:3:1 (Sun >= 0.8 .); they are about Rain, Sun
	// violated by 0.6 in all
}
