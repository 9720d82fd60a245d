// Package softmax turns logits into probabilities in float64, for computations outside a
// graph. Rows has no state and panics if the lengths do not fit.
package softmax

import (
	"fmt"
	"math"
	"slices"
)

// Rows writes the softmax of each row of z, classes long, to p, which may be z.
func Rows(p, z []float64, classes int) {
	if len(p) != len(z) || len(z)%classes != 0 {
		panic(fmt.Sprintf("softmax: %d logits and %d probabilities in rows of %d", len(z), len(p), classes))
	}
	for i := 0; i < len(z); i += classes {
		in, out := z[i:i+classes], p[i:i+classes]
		top, sum := slices.Max(in), 0.0
		for k, v := range in {
			out[k] = math.Exp(v - top)
			sum += out[k]
		}
		for k := range out {
			out[k] /= sum
		}
	}
}
