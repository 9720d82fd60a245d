package nn

import (
	"math"
	"math/rand/v2"
	"testing"

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
