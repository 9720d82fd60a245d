package lcqptest_test

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// The explicit form writes out the paper's matrices.
func ExampleNewExplicit() {
	p := &hlmrf.Program{
		Targets: []string{"y"},
		Rules:   []hlmrf.Rule{{Text: "2: Y", Weight: 2}},
	}
	p.Potentials.Append([]int32{0}, []float64{-1}, nil, nil, 1)
	p.PotentialRule = []int32{0}
	template, err := lcqp.Compile(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := template.NewInstance(0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := lcqptest.NewExplicit(in)
	for row, b := range e.B {
		a := make([]float64, len(e.D))
		for j := e.Ptr[row]; j < e.Ptr[row+1]; j++ {
			a[e.Col[j]] = e.Val[j]
		}
		fmt.Println(a, b)
	}
	fmt.Println("c", e.C)
	// Output:
	// [-1 -1] 1
	// [-1 0] 0
	// [0 -1] 0
	// [0 1] -1
	// c [2 0]
}
