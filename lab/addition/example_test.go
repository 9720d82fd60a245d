package addition_test

import (
	"fmt"

	"hinge/lab/addition"
	"hinge/lab/tables"
)

// The first cells of Table 6.
func ExampleTable6() {
	t, err := addition.Table6(tables.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range t.Cells[:4] {
		fmt.Printf("%s | %s | paper %.2f\n", c.Row, c.Column, c.Paper.Mean)
	}
	// Output:
	// CNN (paper) | 300-Add1 | paper 17.16
	// CNN (paper) | 3000-Add1 | paper 78.99
	// CNN (paper) | 150-Add2 | paper 1.31
	// CNN (paper) | 1500-Add2 | paper 1.69
}
