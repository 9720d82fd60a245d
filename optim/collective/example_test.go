package collective_test

import (
	"fmt"
	"sync"

	"hinge/optim/collective"
)

// Every rank of a group of three has some numbers; all get their sum. A program that
// mpirun starts has collective.World where this one has Local.
func ExampleSum() {
	var all sync.WaitGroup
	sums := make([][]float64, 3)
	for _, c := range collective.Local(3) {
		all.Go(func() {
			x := []float64{1, float64(c.Rank())}
			if err := collective.Sum(c, x); err != nil {
				fmt.Println(err)
			}
			sums[c.Rank()] = x
		})
	}
	all.Wait()
	fmt.Println(sums)
	// Output: [[3 3] [3 3] [3 3]]
}
