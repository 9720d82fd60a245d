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

// frequent checks that one-hot draws of classes are as frequent as those of the softmax of
// logits log p at some temperature.
func frequent(t *testing.T, what string, draws, p []float64, temperature float64) {
	t.Helper()
	rows, sum, count := float64(len(draws)/len(p)), 0.0, make([]float64, len(p))
	for _, v := range p {
		sum += math.Pow(v, 1/temperature)
	}
	for i, v := range draws {
		count[i%len(p)] += v
	}
	for c, n := range count {
		q := math.Pow(p[c], 1/temperature) / sum
		if math.Abs(n-rows*q) > 5*math.Sqrt(rows*q*(1-q)) {
			t.Errorf("%s, class %d: frequency %v, want %v", what, c, n/rows, q)
		}
	}
}

// TestGumbelDraws: as τ → 0 samples are one-hot; the first of two is one of the softmax, the
// second, with three times the noise, one of the softmax at three times the temperature.
func TestGumbelDraws(t *testing.T) {
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
	require.Equal(t, 2*4*rows, len(y), "[K][N][C]")
	frequent(t, "first", y[:4*rows], p, 1)
	frequent(t, "second", y[4*rows:], p, noise)
	if slices.Equal(y[:4*noiseRows], y[4*noiseRows:8*noiseRows]) {
		t.Error("two blocks of examples share their noise")
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
