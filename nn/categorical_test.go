package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestCategoricalGradient: draws are a constant to the logits, beliefs are a softmax.
func TestCategoricalGradient(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Categorical("g", leaf(b, "x", 3, 4), Sampling{Draws: 5, Noise: 2})
	})
	f.checkGradients(t, 100, 1e-7)
}

// TestCategorical: the beliefs come first, draws are one-hot and as frequent as their
// distributions say, the last at three times the temperature.
func TestCategorical(t *testing.T) {
	const rows = 6000
	p := []float64{.9, .08, .015, .005}
	net, err := New([]int{4}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Categorical("g", x, Sampling{Draws: 2, Noise: 3})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	x := make([]float64, 4*rows)
	for i := range x {
		x[i] = math.Log(p[i%4])
	}
	y, err := net.Forward(x, rows)
	require.NoError(t, err)
	if len(y) != 3*4*rows {
		t.Fatalf("%d outputs, want [1+K][N][C] = %d", len(y), 3*4*rows)
	}
	for i, v := range y {
		if i < 4*rows && math.Abs(v-p[i%4]) > 1e-12 {
			t.Fatalf("belief %v, want %v", v, p[i%4])
		}
		if i >= 4*rows && v != 0 && v != 1 {
			t.Fatalf("a draw is %v", v)
		}
	}
	frequent(t, "first", y[4*rows:8*rows], p, 1)
	frequent(t, "second", y[8*rows:], p, 3)
}
