package nn

import (
	"math"
	"math/rand/v2"
)

// An initialiser fills v, the storage of a weight with fanIn inputs an output
// and fanOut outputs an input (each times the kernel area). The values are
// independent, so storage order does not matter.
type initialiser[T Float] func(v []T, rng *rand.Rand)

// kaimingNormal draws from N(0, 2/fanOut): "kaiming_normal, fan_out, relu", as
// torchvision initialises the convolutions of its ResNets (He et al., 2015).
func kaimingNormal[T Float](fanOut int) initialiser[T] {
	std := math.Sqrt(2 / float64(fanOut))
	return func(v []T, rng *rand.Rand) {
		for i := range v {
			v[i] = T(std * rng.NormFloat64())
		}
	}
}

// torchUniform draws from U(-1/√fanIn, 1/√fanIn), PyTorch's default for the
// weight (kaiming_uniform with a = √5) and the bias of a linear layer.
func torchUniform[T Float](fanIn int) initialiser[T] {
	bound := 1 / math.Sqrt(float64(fanIn))
	return func(v []T, rng *rand.Rand) {
		for i := range v {
			v[i] = T(bound * (2*rng.Float64() - 1))
		}
	}
}

// constant sets every element to c.
func constant[T Float](c T) initialiser[T] {
	return func(v []T, _ *rand.Rand) {
		for i := range v {
			v[i] = c
		}
	}
}
