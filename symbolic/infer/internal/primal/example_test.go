package primal_test

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Two linked papers with two topics each: the network is sure of the first and
// undecided about the second, which follows its neighbour.
func Example() {
	p := &hlmrf.Program{
		Targets: []string{"a/x", "a/y", "b/x", "b/y"}, Deep: []string{"ga/x", "ga/y", "gb/x", "gb/y"},
		Rules:     []hlmrf.Rule{{Weight: 1, Squared: true}, {Weight: 2, Squared: true}},
		HardRules: []hlmrf.Rule{{}},
	}
	square := func(rule int32, col []int32, val []float64, deep []int32) {
		for _, sign := range []float64{1, -1} {
			v := make([]float64, len(val))
			for i := range val {
				v[i] = sign * val[i]
			}
			d := make([]float64, len(deep))
			for i := range deep {
				d[i] = -sign
			}
			p.AddPotential(rule, col, v, deep, d, 0)
		}
	}
	for i := range int32(4) {
		square(0, []int32{i}, []float64{1}, []int32{i})
	}
	square(1, []int32{0, 2}, []float64{1, -1}, nil)
	square(1, []int32{1, 3}, []float64{1, -1}, nil)
	for _, col := range [][]int32{{0, 1}, {2, 3}} {
		p.AddConstraint(hlmrf.Equal, 0, col, []float64{1, 1}, nil, nil, -1)
	}
	in, err := lcqp.NewInstance(p, 1e-6)
	if err != nil {
		panic(err)
	}
	if err := in.SetDeep([]float64{0.9, 0.1, 0.5, 0.5}); err != nil {
		panic(err)
	}
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{Method: new(method)}, &res); err != nil {
		panic(err)
	}
	fmt.Printf("%v, y = %.2f\n", res.Status.OK(), res.Y)
	// Output:
	// true, y = [0.74 0.26 0.66 0.34]
}
