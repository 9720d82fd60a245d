package kernel

import (
	"math"
	"testing"
)

func TestSoftmaxRowsAreDistributions(t *testing.T) {
	rng := newRand(41)
	const rows, c = 30, 11
	x := normals[float32](rng, rows*c)
	for i := range x {
		x[i] = x[i]*300 + 1e4 // far beyond the range of exp
	}
	y, ly := make([]float32, rows*c), make([]float32, rows*c)
	Softmax(x, y, rows, c)
	LogSoftmax(x, ly, rows, c)
	for i := 0; i < rows*c; i += c {
		var sum, lsum float64
		for j := range c {
			sum += float64(y[i+j])
			lsum += math.Exp(float64(ly[i+j]))
		}
		if math.Abs(sum-1) > 1e-5 || math.Abs(lsum-1) > 1e-2 {
			t.Fatalf("row %d sums to %v and %v", i/c, sum, lsum)
		}
	}
}

func TestSoftmaxValues(t *testing.T) {
	x := []float64{0, math.Log(2), math.Log(5)}
	y := make([]float64, 3)
	Softmax(x, y, 1, 3)
	near(t, "softmax", y, []float64{1.0 / 8, 2.0 / 8, 5.0 / 8}, 1e-14)
	LogSoftmax(x, x, 1, 3)
	near(t, "log softmax", x, []float64{math.Log(1.0 / 8), math.Log(2.0 / 8), math.Log(5.0 / 8)}, 1e-14)
}

func TestSoftmaxFiniteDifferences(t *testing.T) {
	type op func(a, b []float64, rows, c int)
	type back func(a, b, c []float64, rows, cols int)
	for name, f := range map[string]struct {
		fwd op
		bwd back
	}{
		"softmax":     {Softmax[float64], SoftmaxBackward[float64]},
		"log softmax": {LogSoftmax[float64], LogSoftmaxBackward[float64]},
	} {
		rng := newRand(42)
		const rows, c = 5, 7
		x, r := normals[float64](rng, rows*c), normals[float64](rng, rows*c)
		y, dx := make([]float64, rows*c), make([]float64, rows*c)
		loss := func() float64 { f.fwd(x, y, rows, c); return dot(y, r) }
		loss()
		f.bwd(r, y, dx, rows, c)
		checkGradient(t, rng, name, x, dx, 30, loss)
	}
}
