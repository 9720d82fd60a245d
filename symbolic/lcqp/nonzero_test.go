package lcqp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The numbers that are not zero, wherever they lie among eights: tiny ones and NaN
// are, zeros of either sign are not.
func TestNextNonzero(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	values := []float64{1, -2, math.NaN(), math.SmallestNonzeroFloat64, math.Inf(-1)}
	for n := range 60 {
		for range 40 {
			x := make([]float64, n)
			var want, got []int
			for i := range x {
				switch rng.IntN(12) {
				case 0:
					x[i] = values[rng.IntN(len(values))]
					want = append(want, i)
				case 1:
					x[i] = math.Copysign(0, -1)
				}
			}
			for i := nextNonzero(x, 0); i < n; i = nextNonzero(x, i+1) {
				got = append(got, i)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v: found %v, want %v", x, got, want)
			}
		}
	}
}
