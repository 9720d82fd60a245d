package lcqptest

import (
	"math/rand/v2"

	"hinge/symbolic/familytest"
)

// Softmax returns n groups of width numbers each: the softmax of standard
// normal logits with one of them, drawn at random, raised by margin. hot tells
// which.
func Softmax(rng *rand.Rand, n, width int, margin float64) (g []float64, hot []int) {
	for range n {
		h, row := rng.IntN(width), make([]float64, width)
		familytest.Softmax(rng, row, h, margin)
		g, hot = append(g, row...), append(hot, h)
	}
	return g, hot
}
