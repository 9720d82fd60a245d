package addition_test

import (
	"fmt"

	"hinge/experiments/addition"
	"hinge/internal/tables"
)

// The quick form of Table 6.
func ExampleTable6() {
	t, err := addition.Table6(tables.Options{Quick: true})
	if err != nil {
		panic(err)
	}
	for _, c := range t.Cells[:4] {
		fmt.Printf("%s | %s | paper %.2f\n", c.Row, c.Column, c.Paper.Mean)
	}
	// Output:
	// CNN (best) | 300-Add1 | paper 17.16
	// CNN (best) | 150-Add2 | paper 1.31
	// LTN (best) | 300-Add1 | paper 69.23
	// LTN (best) | 150-Add2 | paper 2.02
}
