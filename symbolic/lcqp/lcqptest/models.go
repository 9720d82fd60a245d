package lcqptest

import (
	"math"
	"math/rand/v2"
)

// Softmax returns n groups of width numbers each: the softmax of standard
// normal logits with one of them, drawn at random, raised by margin. hot tells
// which.
func Softmax(rng *rand.Rand, n, width int, margin float64) (g []float64, hot []int) {
	for range n {
		h := rng.IntN(width)
		hot = append(hot, h)
		sum := 0.0
		row := make([]float64, width)
		for x := range row {
			logit := rng.NormFloat64()
			if x == h {
				logit += margin
			}
			row[x] = math.Exp(logit)
			sum += row[x]
		}
		for _, v := range row {
			g = append(g, v/sum)
		}
	}
	return g, hot
}
