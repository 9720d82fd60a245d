package sparse_test

import (
	"fmt"

	"hinge/symbolic/infer/internal/sparse"
)

// A chain of three unknowns, the last of them a multiplier.
func ExampleLDL() {
	var s sparse.LDL
	s.Reset(3)
	a, b := s.Edge(0, 1), s.Edge(1, 2)
	if !s.Analyse(sparse.Limits{Fill: 1e6}) {
		fmt.Println("too large")
		return
	}
	copy(s.Diag, []float64{2, 2, 0})
	copy(s.Sign, []float64{1, 1, -1})
	s.Val[a], s.Val[b] = -1, 1
	s.Factor()
	x := []float64{1, 0, 0.5}
	s.Solve(x)
	fmt.Printf("%.2f\n", x)
	// Output: [0.75 0.50 -0.25]
}
