package mlp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

func perceptron(t *testing.T, c Config) *nn.Net[float64] {
	t.Helper()
	net, err := nn.New([]int{3}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return Apply(b, "mlp", x, c)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	return net
}

// TestValue computes a 3-2-2 perceptron by hand.
func TestValue(t *testing.T) {
	net := perceptron(t, Config{Hidden: []int{2}, Out: 2, Dropout: .5})
	err := net.Params().Import([]nn.Tensor[float64]{
		{Name: "mlp.0.weight", Shape: []int{2, 3}, Data: []float64{1, 0, -1, 2, 2, 2}},
		{Name: "mlp.0.bias", Shape: []int{2}, Data: []float64{0, -3}},
		{Name: "mlp.1.weight", Shape: []int{2, 2}, Data: []float64{1, 1, 0, -1}},
		{Name: "mlp.1.bias", Shape: []int{2}, Data: []float64{.5, 0}},
	})
	require.NoError(t, err)
	y, err := net.Forward([]float64{1, 2, 3, 3, 0, 0}, 2)
	require.NoError(t, err)
	// Hidden: relu(-2, 9) and relu(3, 3).
	assert.Equal(t, []float64{9.5, -9, 6.5, -3}, y, "output")
}

func TestShape(t *testing.T) {
	net := perceptron(t, Config{Hidden: []int{7, 5}, Out: 4})
	var got []string
	for _, p := range net.Params().All() {
		got = append(got, p.Name)
	}
	want := []string{"mlp.0.weight", "mlp.0.bias", "mlp.1.weight", "mlp.1.bias", "mlp.2.weight", "mlp.2.bias"}
	assert.Equal(t, want, got, "names")
	if n, want := net.Params().Count(), 3*7+7+7*5+5+5*4+4; n != want {
		t.Errorf("%d parameters, want %d", n, want)
	}
}

// TestDropoutTrainsOnly checks that dropout acts between the layers of a
// training graph and nowhere in evaluation.
func TestDropoutTrainsOnly(t *testing.T) {
	net := perceptron(t, Config{Hidden: []int{50}, Out: 2, Dropout: .5})
	x := []float64{1, 2, 3, -1, 0, 1}
	run := func(training bool, step uint64) []float64 {
		g, err := net.Graph(2, training)
		require.NoError(t, err)
		_, err = g.Compile(nil)
		require.NoError(t, err)
		net.State().Step = step
		require.NoError(t, g.Run(x))
		return g.Result()
	}
	if slices.Equal(run(true, 1), run(true, 2)) {
		t.Error("two training steps drew the same mask")
	}
	assert.Equal(t, run(false, 2), run(false, 1), "evaluation is random")
}

func TestNoOutput(t *testing.T) {
	_, err := nn.New([]int{3}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return Apply(b, "mlp", x, Config{})
	}, rand.New(rand.NewPCG(1, 2)))
	if err == nil {
		t.Error("the zero Config was accepted")
	}
}
