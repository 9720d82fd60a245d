package hlmrf_test

import (
	"fmt"

	"hinge/symbolic/hlmrf"
)

// The rule "Friends(A,B) & Votes(A) -> Votes(B)" grounded for one pair of
// friends: its distance to satisfaction under Łukasiewicz logic is
// max(0, Votes(A) − Votes(B)), as Friends(A,B) is observed to be 1.
func Example() {
	p := &hlmrf.Program{
		Targets: []string{"Votes(a)", "Votes(b)"},
		Rules:   []hlmrf.Rule{{Text: "5: Friends(A,B) & Votes(A) -> Votes(B) ^2", Weight: 5, Squared: true}},
	}
	p.AddPotential(0, []int32{0, 1}, []float64{1, -1}, nil, nil, 0)
	if err := p.Check(); err != nil {
		fmt.Println(err)
		return
	}
	phi := make([]float64, 1)
	for _, y := range [][]float64{{1, 1}, {1, 0.5}, {0, 1}} {
		p.Incompatibility(y, nil, phi)
		fmt.Println(y, "Φ =", phi[0], "E =", p.Energy(y, nil, nil))
	}
	// Output:
	// [1 1] Φ = 0 E = 0
	// [1 0.5] Φ = 0.25 E = 1.25
	// [0 1] Φ = 0 E = 0
}
