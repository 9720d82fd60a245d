package docs

import (
	"context"
	"fmt"

	"hinge/bilevel"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// Example works out what CONCEPTS.md does by hand: with Trusts(ann, bob) from a network,
// which says 1, the answer, the value and both gradients.
func Example() {
	rules, err := psl.Parse("trust.psl", []byte("4: Knows(A, B) & Says(A, B) -> Trusts(B, A) ^2\n1: !Trusts(A, B) ^2"))
	check(err)
	b := ground.NewBuilder()
	b.Observe("Knows", "ann", "bob")
	b.Deep("Says", "ann", "bob")
	b.Target("Trusts", "bob", "ann")
	check(b.Err)
	program, err := ground.Ground(context.Background(), rules, b.DB, ground.Options{})
	check(err)
	template, err := lcqp.Compile(program)
	check(err)
	values, err := bilevel.New(template, 1, bilevel.Options{Epsilon: 1e-8})
	check(err)
	check(values.Solve([]float64{4, 1}, []float64{1}))
	phi, dg := make([]float64, 2), make([]float64, 1)
	values.WeightGradient([]float64{1}, phi)
	values.Instance(0).DeepGradient(&values.Result(0).Solution, dg)
	fmt.Printf("y* %.2f, V %.2f, dV/dw (%.2f, %.2f), dV/dg %.2f\n", values.Result(0).Y[0], values.Values()[0], phi[0], phi[1], dg[0])
	// Output: y* 0.80, V 0.80, dV/dw (0.04, 0.64), dV/dg 1.60
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
