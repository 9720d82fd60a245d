package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

func moments(v []float64) (mean, variance, top float64) {
	for _, x := range v {
		mean += x / float64(len(v))
		top = max(top, math.Abs(x))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, variance, top
}

func TestInitialisers(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name     string
		init     initialiser[float64]
		variance float64
		bound    float64
	}{
		{"kaiming normal", kaimingNormal[float64](64 * 9), 2. / (64 * 9), math.Inf(1)},
		{"torch uniform", torchUniform[float64](512), 1. / 512 / 3, 1 / math.Sqrt(512)},
		{"normal", normal[float64](.02), 4e-4, math.Inf(1)},
		{"constant", constant[float64](0), 0, 0},
	} {
		v := make([]float64, n)
		c.init(v, rand.New(rand.NewPCG(1, 2)))
		mean, variance, top := moments(v)
		if std := math.Sqrt(c.variance / n); math.Abs(mean) > 5*std {
			t.Errorf("%s: mean %v", c.name, mean)
		}
		if math.Abs(variance-c.variance) > .02*c.variance {
			t.Errorf("%s: variance %v, want %v", c.name, variance, c.variance)
		}
		if top > c.bound {
			t.Errorf("%s: a value of %v exceeds %v", c.name, top, c.bound)
		}
	}
}
