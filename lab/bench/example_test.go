package bench_test

import (
	"context"
	"fmt"
	"time"

	"hinge/lab/bench"
)

// Measure one addition with the default method.
func ExampleMeasure() {
	task := &bench.Task{
		Cell:  bench.Cell{Model: "add1-sharp", Size: 547, Method: "auto", Seed: 1, Gap: 1e-6},
		Limit: 10 * time.Second,
	}
	err := bench.Measure(context.Background(), task, func(r bench.Row) {
		fmt.Println(r.Stage, r.Terms, r.Targets, r.Gap <= 1e-6)
	})
	fmt.Println(err)
	// Output:
	// grounded 547 41 true
	// cold 547 41 true
	// done 547 41 true
	// <nil>
}
