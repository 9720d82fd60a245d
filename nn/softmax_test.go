package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func TestSoftmaxGradient(t *testing.T) {
	f := newFixture(t, 4, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Softmax("s", leaf(b, "x", 3, 4, 5))
	})
	f.net.State().Temperature = 0.7
	f.checkGradients(t, 100, 1e-7)
}

// TestSoftmaxRange checks large logits, small temperatures and refusals.
func TestSoftmaxRange(t *testing.T) {
	net, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Softmax("s", x)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	y, err := net.Forward([]float64{1e4, 1e4, -1e4}, 1)
	require.NoError(t, err)
	near(t, "large logits", y, []float64{.5, .5, 0}, 1e-15)
	net.State().Temperature = 0.5
	y, err = net.Forward([]float64{math.Log(2), 0, math.Log(3)}, 1)
	require.NoError(t, err)
	near(t, "temperature 1/2 squares the odds", y, []float64{4. / 14, 1. / 14, 9. / 14}, 1e-14)
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		net.State().Temperature = bad
		if _, err := net.Forward([]float64{1, 2, 3}, 1); err == nil {
			t.Errorf("temperature %v was accepted", bad)
		}
	}
}

// TestColdest: in single precision, 0 times the inverse of a temperature below 3e-39 would be no number, at
// every largest logit.
func TestColdest(t *testing.T) {
	for name, define := range map[string]Definition[float32]{
		"softmax": func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node { return b.Softmax("s", x) },
		"gumbel": func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.GumbelSoftmax("g", x, Sampling{Draws: 1})
		},
	} {
		net, err := New([]int{2}, define, rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err)
		net.State().Temperature = 3e-39
		y, err := net.Forward([]float32{-100, 100}, 1)
		require.NoError(t, err, name)
		assert.Equal(t, []float32{0, 1}, y, name)
		net.State().Temperature = 2.9e-39
		_, err = net.Forward([]float32{-100, 100}, 1)
		require.ErrorContains(t, err, "temperature 2.9e-39 is not a finite number of at least 3e-39", name)
	}
	for temperature, want := range map[float64]string{3e-39: "", 2.9e-39: "a temperature of at least 3e-39, not shape"} {
		_, err := NewWhole([]int{2}, 4, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.InfoNCE("loss", x, temperature)
		}, rand.New(rand.NewPCG(1, 2)))
		if want == "" {
			require.NotContains(t, fmt.Sprint(err), "temperature")
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}
