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

// TestStreamIsUniform is a coarse check that first draws over consecutive steps
// look uniform: counts of 16 cells by χ² with 15 degrees of freedom.
func TestStreamIsUniform(t *testing.T) {
	var cells [16]float64
	pcg := rand.NewPCG(0, 0)
	const n = 16000
	for step := range uint64(n) {
		s := State{Seed: 3, Step: step}
		s.stream(pcg, 1)
		cells[pcg.Uint64()>>60]++
	}
	chi := 0.
	for _, c := range cells {
		chi += (c - n/16) * (c - n/16) / (n / 16)
	}
	if chi > 50 { // p < 1e-5
		t.Errorf("χ² = %v", chi)
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
