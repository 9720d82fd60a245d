package nn

import (
	"math/rand/v2"
	"testing"
)

func TestStreamIsReproducible(t *testing.T) {
	a, b := rand.NewPCG(0, 0), rand.NewPCG(7, 7)
	b.Uint64()
	s := State{Seed: 1, Step: 2}
	s.stream(a, 3)
	s.stream(b, 3)
	for range 5 {
		if a.Uint64() != b.Uint64() {
			t.Fatal("the generator's past shows")
		}
	}
}
