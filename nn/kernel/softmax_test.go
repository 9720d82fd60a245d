package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/nn/difference"
)

func TestLogSoftmaxRowsAreDistributions(t *testing.T) {
	rng := newRand(41)
	const rows, c = 30, 11
	x := normals[float32](rng, rows*c)
	for i := range x {
		x[i] = x[i]*300 + 1e4 // far beyond the range of exp
	}
	ly := make([]float32, rows*c)
	LogSoftmax(x, ly, rows, c)
	for i := 0; i < rows*c; i += c {
		var sum float64
		for j := range c {
			sum += math.Exp(float64(ly[i+j]))
		}
		if math.Abs(sum-1) > 1e-2 {
			t.Fatalf("row %d sums to %v", i/c, sum)
		}
	}
}

func TestLogSoftmaxValues(t *testing.T) {
	x := []float64{0, math.Log(2), math.Log(5)}
	LogSoftmax(x, x, 1, 3)
	near(t, "log softmax", x, []float64{math.Log(1.0 / 8), math.Log(2.0 / 8), math.Log(5.0 / 8)}, 1e-14)
}

func TestLogSoftmaxFiniteDifferences(t *testing.T) {
	rng := newRand(42)
	const rows, c = 5, 7
	x, r := normals[float64](rng, rows*c), normals[float64](rng, rows*c)
	y, dx := make([]float64, rows*c), make([]float64, rows*c)
	loss := func() float64 { LogSoftmax(x, y, rows, c); return dot(y, r) }
	loss()
	LogSoftmaxBackward(r, y, dx, rows, c)
	assert.NoError(t, difference.Check("log softmax", x, dx, 30, 1e-6, loss))
}
