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

func dropoutFixture(t *testing.T, p float64, n int) *fixture {
	return newFixture(t, n, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Dropout("d", leaf(b, "x", n, 10), p)
	})
}

func TestDropoutGradient(t *testing.T) {
	dropoutFixture(t, 0.4, 5).checkGradients(t, 100, 1e-8)
}

func TestDropoutMask(t *testing.T) {
	const p, n = 0.3, 1000
	f := dropoutFixture(t, p, n)
	f.loss(t)
	x, dropped := f.net.Params().Get("x").Value, 0
	for i, y := range f.g.Result() {
		switch {
		case y == 0:
			dropped++
		case math.Abs(y-x[i]/(1-p)) > 1e-12*math.Abs(y):
			t.Fatalf("a kept element is %v, want %v/(1-p)", y, x[i])
		}
	}
	// Five standard deviations of a binomial variable.
	if d := math.Abs(float64(dropped) - p*10*n); d > 5*math.Sqrt(p*(1-p)*10*n) {
		t.Errorf("%d of %d elements dropped with p = %v", dropped, 10*n, p)
	}
}

// TestDropoutFollowsState checks that the mask is a function of seed and step.
func TestDropoutFollowsState(t *testing.T) {
	f := dropoutFixture(t, 0.5, 20)
	draw := func(seed, step uint64) []float64 {
		f.net.State().Seed, f.net.State().Step = seed, step
		f.loss(t)
		return slices.Clone(f.g.Result())
	}
	a, b, c := draw(1, 1), draw(1, 2), draw(2, 1)
	if slices.Equal(a, b) || slices.Equal(a, c) || slices.Equal(b, c) {
		t.Error("another step or seed drew the same mask")
	}
	assert.Equal(t, draw(1, 1), a, "the same seed and step drew another mask")
}

func TestDropoutOffInEvaluation(t *testing.T) {
	net, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Dropout("d", x, 0.9)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	x := []float64{1, 2, 3, 4, 5, 6}
	y, err := net.Forward(x, 2)
	require.NoError(t, err)
	near(t, "evaluation", y, x, 0)
	if _, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Dropout("d", x, 1)
	}, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("p = 1 was accepted")
	}
}
