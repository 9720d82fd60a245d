package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func TestGumbelSoftmaxGradient(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", leaf(b, "x", 3, 4), Sampling{Draws: 5, Spread: 3, Noise: 2})
	})
	f.net.State().Temperature = 0.8
	f.checkGradients(t, 100, 1e-7)
}

// TestGumbelMax checks the distribution: as τ → 0 a sample is one-hot with the
// probabilities of softmax(logits).
func TestGumbelMax(t *testing.T) {
	const k = 4000
	p := []float64{.5, .3, .15, .05}
	net, err := New([]int{4}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", x, Sampling{Draws: k})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	x := make([]float64, 8)
	for i := range x {
		x[i] = math.Log(p[i%4])
	}
	net.State().Temperature = 1e-3
	y, err := net.Forward(x, 2)
	require.NoError(t, err)
	if len(y) != k*8 {
		t.Fatalf("%d outputs, want [K][N][C] = %d", len(y), k*8)
	}
	count := make([]float64, 8)
	for i, v := range y {
		count[i%8] += v
	}
	for i, c := range count {
		q := p[i%4]
		if d := math.Abs(c - k*q); d > 5*math.Sqrt(k*q*(1-q)) {
			t.Errorf("example %d, class %d: frequency %v, want %v", i/4, i%4, c/k, q)
		}
	}
	if slices.Equal(y[:4], y[4:8]) {
		t.Error("two examples share their noise")
	}
}

// TestGumbelNoiseGrows: the first of two samples is one of the softmax, the second, with
// three times the noise, one of the softmax at three times the temperature.
func TestGumbelNoiseGrows(t *testing.T) {
	const rows, noise = 6000, 3
	p := []float64{.9, .08, .015, .005}
	net, err := New([]int{4}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", x, Sampling{Draws: 2, Noise: noise})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	x := make([]float64, 4*rows)
	for i := range x {
		x[i] = math.Log(p[i%4])
	}
	net.State().Temperature = 1e-3
	y, err := net.Forward(x, rows)
	require.NoError(t, err)
	for draw, scale := range []float64{1, noise} {
		sum, count := 0.0, make([]float64, 4)
		for _, v := range p {
			sum += math.Pow(v, 1/scale)
		}
		for i, v := range y[draw*4*rows:][:4*rows] {
			count[i%4] += v
		}
		for i, c := range count {
			q := math.Pow(p[i], 1/scale) / sum
			if d := math.Abs(c - rows*q); d > 5*math.Sqrt(rows*q*(1-q)) {
				t.Errorf("draw %d, class %d: frequency %v, want %v", draw, i, c/rows, q)
			}
		}
	}
}

// TestGumbelFollowsState checks resume: the noise is a function of seed, step
// and chunk, not of the runs before.
func TestGumbelFollowsState(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", leaf(b, "x", 3, 4), Sampling{Draws: 2})
	})
	draw := func(seed, step, chunk uint64) []float64 {
		s := f.net.State()
		s.Seed, s.Step, s.chunk = seed, step, chunk
		f.loss(t)
		return slices.Clone(f.g.Result())
	}
	all := [][]float64{draw(1, 1, 0), draw(1, 2, 0), draw(2, 1, 0), draw(1, 1, 1)}
	for i := range all {
		for j := range i {
			if slices.Equal(all[i], all[j]) {
				t.Errorf("draws %d and %d are equal", i, j)
			}
		}
	}
	assert.Equal(t, draw(1, 1, 0), all[0], "the same seed and step drew other noise")
}

// BenchmarkGumbelSoftmax is forward and backward of 32 samples for 64 examples.
func BenchmarkGumbelSoftmax(b *testing.B) {
	net, err := NewWhole([]int{1}, 64, func(b *Builder[float32], _ *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", leaf(b, "x", 64, 10), Sampling{Draws: 32})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(b, err)
	g := trainingGraph(b, net, 64, nil)
	x := make([]float32, 64)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, g.Run(x))
	}
}
