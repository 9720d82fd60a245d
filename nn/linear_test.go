package nn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func TestLinearGradient(t *testing.T) {
	newFixture(t, 5, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Linear("l", leaf(b, "x", 5, 4), 3)
	}).checkGradients(t, 100, 1e-8)
}

func TestLinearValue(t *testing.T) {
	net, err := New([]int{2}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("l", x, 3)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	err = net.Params().Import([]Tensor[float64]{
		{"l.weight", []int{3, 2}, []float64{1, 2, 3, 4, 5, 6}},
		{"l.bias", []int{3}, []float64{10, 20, 30}},
	})
	require.NoError(t, err)
	y, err := net.Forward([]float64{1, 1, 2, -1}, 2)
	require.NoError(t, err)
	near(t, "y", y, []float64{13, 27, 41, 10, 22, 34}, 0)
}

func TestLinearRefusesMaps(t *testing.T) {
	_, err := New([]int{2, 2}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("l", x, 3)
	}, rand.New(rand.NewPCG(1, 2)))
	if err == nil {
		t.Error("a linear layer took an N×H×W input")
	}
}
