package circuit_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hinge/tasks/mnistadd/circuit"
)

// Two images, one surely a 7, the other a 5 or perhaps a 6: how probable is the
// sum 12, and what does it say about the second image?
func ExampleAddition() {
	sum, err := circuit.Addition(1)
	if err != nil {
		panic(err)
	}
	z, prior, post := slices.Repeat([]float64{-50}, 20), make([]float64, 20), make([]float64, 20)
	z[7] = 0
	z[10+5], z[10+6] = math.Log(0.75), math.Log(0.25)
	logP, err := sum.Posterior(z, []int{2, 1}, prior, post)
	if err != nil {
		panic(err)
	}
	fmt.Printf("P(12) = %.2f; digits of the second image: %.2f\n", math.Exp(logP), post[10:])
	fmt.Println(sum.Answer(context.Background(), prior, 0))
	// Output:
	// P(12) = 0.75; digits of the second image: [0.00 0.00 0.00 0.00 0.00 1.00 0.00 0.00 0.00 0.00]
	// [2 1] true <nil>
}
