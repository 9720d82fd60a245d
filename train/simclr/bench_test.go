package simclr

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

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
	require.NoError(b, err)
	r, err := newRun(Reference(0), part, images)
	require.NoError(b, err)
	for b.Loop() {
		r.load(0)
		require.NoError(b, r.graph.Run(r.views))
		r.adam.Step(1e-4)
	}
}
