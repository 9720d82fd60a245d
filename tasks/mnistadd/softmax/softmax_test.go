package softmax_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/tasks/mnistadd/softmax"
)

func ExampleRows() {
	p := make([]float64, 4)
	softmax.Rows(p, []float64{0, 0, 1000, 1000 + math.Log(3)}, 2)
	fmt.Printf("%.2f\n", p)
	// Output: [0.50 0.50 0.25 0.75]
}

func TestInPlaceAndLengths(t *testing.T) {
	z := []float64{1, 2, 3, -1, 0, 1}
	p := make([]float64, 6)
	softmax.Rows(p, z, 3)
	softmax.Rows(z, z, 3)
	for i := range p {
		assert.Equal(t, z[i], p[i], "in place")
		// Both rows are the same up to a shift.
		assert.InDeltaf(t, p[(i+3)%6], p[i], 1e-15, "not invariant to shifts: %v", p)
	}
	defer func() {
		if recover() == nil {
			t.Error("rows that do not fit gave no panic")
		}
	}()
	softmax.Rows(p, z, 4)
}
