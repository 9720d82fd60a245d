package simclr_test

import (
	"fmt"

	"hinge/train/simclr"
)

// The settings of the reference experiments.
func ExampleReference() {
	c := simclr.Reference(0)
	fmt.Println(c.Epochs, c.Batch, c.Temperature, c.Views.Erase.Probability)
	// Output: 250 1024 0.07 1
}
