package simclr

import (
	"math/rand/v2"
	"testing"

	"hinge/data/mnist"
)

// BenchmarkStep is one step of the reference pre-training of 600 images, both
// views of each; an epoch of that size is one step, and the whole is 250.
func BenchmarkStep(b *testing.B) {
	const n = 600
	rng := rand.New(rand.NewPCG(1, 2))
	pixels, images := make([]uint8, n*mnist.Pixels), make([]int32, n)
	for i := range pixels {
		if rng.IntN(5) == 0 {
			pixels[i] = uint8(rng.IntN(256))
		}
	}
	for i := range images {
		images[i] = int32(i)
	}
	part, err := mnist.NewPart(pixels, make([]uint8, n))
	if err != nil {
		b.Fatal(err)
	}
	r, err := newRun(Reference(0), part, images)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.load(0)
		if err := r.graph.Run(r.views); err != nil {
			b.Fatal(err)
		}
		r.adam.Step(1e-4)
	}
}
