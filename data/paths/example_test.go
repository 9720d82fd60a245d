package paths_test

import (
	"fmt"

	"hinge/data/paths"
)

func ExampleShortest() {
	next := paths.Neighbours(3)
	fmt.Println(paths.Shortest(next, []float64{
		1, 1, 9,
		9, 9, 1,
		1, 9, 1,
	}))
	// Output: [0 1 5 8] 4
}
