package citation_test

import (
	"fmt"

	"hinge/lab/citation"
	"hinge/lab/tables"
)

// What `bench -table 5 -recipe paper` runs.
func ExampleTable5() {
	t, err := citation.Table5(tables.Options{Recipe: "paper"})
	if err != nil {
		panic(err)
	}
	for _, c := range t.Cells[:4] {
		fmt.Printf("%s, %s: paper %.2f ± %.2f\n", c.Row, c.Column, c.Paper.Mean, c.Paper.SD)
	}
	// Output:
	// NeuPSL, Energy (paper), CiteSeer: paper 69.63 ± 1.33
	// NeuPSL, Energy (paper), Cora: paper 80.41 ± 1.81
	// NeuPSL, SP (paper), CiteSeer: paper 69.78 ± 1.42
	// NeuPSL, SP (paper), Cora: paper 78.59 ± 4.93
}
