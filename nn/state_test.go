package nn

import (
	"math/rand/v2"
	"testing"
)

// TestStreamsDiffer draws the first number of many neighbouring streams: equal
// ones would mean that steps, seeds, chunks or layers share their noise.
func TestStreamsDiffer(t *testing.T) {
	seen := make(map[uint64]State)
	pcg := rand.NewPCG(0, 0)
	for seed := range uint64(8) {
		for step := range uint64(50) {
			for chunk := range uint64(4) {
				for _, layer := range []string{"a", "b", "ab", "ba", ""} {
					s := State{Seed: seed, Step: step, chunk: chunk}
					s.stream(pcg, purposeOf(layer))
					v := pcg.Uint64()
					if old, ok := seen[v]; ok {
						t.Fatalf("%+v %q and %+v start with the same number", s, layer, old)
					}
					seen[v] = s
				}
			}
		}
	}
}

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
