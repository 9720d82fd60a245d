package lcqptest

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// The optimum that Random claims must satisfy the independent judge.
func TestRandomIsOptimal(t *testing.T) {
	for seed := range uint64(500) {
		k := Random(rand.New(rand.NewPCG(seed, 1)), Shape{Targets: 15, Rows: 20, Separate: seed%2 == 0})
		if r := lcqp.Residuals(k.Instance, &k.Solution); r.Max() > 1e-9 {
			t.Fatalf("seed %d: %+v", seed, r)
		}
	}
}
