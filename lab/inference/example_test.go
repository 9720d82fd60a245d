package inference_test

import (
	"fmt"

	"hinge/lab/inference"
	"hinge/lab/tables"
)

// What `bench -table 2` runs, on additions.
func ExampleTable2() {
	t, err := inference.Table2(tables.Options{})
	if err != nil {
		panic(err)
	}
	parts, err := tables.Select([]*tables.Table{t}, []string{"paper's rule"}, []string{"Add1"}, nil)
	if err != nil {
		panic(err)
	}
	for _, c := range parts[0].Cells {
		if c.Paper != nil {
			fmt.Printf("%s: paper %.2f ± %.2f s\n", c.Row, c.Paper.Mean, c.Paper.SD)
		}
	}
	// Output:
	// ADMM, paper's rule: paper 11.45 ± 1.32 s
	// CC D-BCD (bcd-paper), paper's rule: paper 10.23 ± 1.04 s
	// LF D-BCD (bcd-lockfree), paper's rule: paper 115.00 ± 45.00 s
}
