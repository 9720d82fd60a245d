package plain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
)

// TestSize: the parameters are the paper's for half its channels, without the biases of convolutions,
// which batch normalisation takes away.
func TestSize(t *testing.T) {
	net, err := nn.New([]int{28, 28}, Define[float32](Config{Out: 10}), rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	weights, channels := 0, []int{1, 16, 32, 48, 64, 80}
	for i, c := range channels[1:] {
		weights += 25*channels[i]*c + 2*c
	}
	assert.Equal(t, weights+8*8*80*10+2*10, net.Params().Count())
}

// TestGradient checks derivatives of a narrow network against central differences.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	net, err := nn.New([]int{11, 11}, Define[float64](Config{Channels: 3, Widths: []int{2, 3}, Out: 4}), rng)
	require.NoError(t, err)
	const n = 3
	g, err := net.Graph(n, true)
	require.NoError(t, err)
	_, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, []int{0, 1, 2}, nil))
	require.NoError(t, err)
	x := make([]float64, n*11*11)
	for i := range x {
		x[i] = rng.Float64()
	}
	assert.NoError(t, nn.CheckGradient(g, x))
}

func TestTooSmall(t *testing.T) {
	_, err := nn.New([]int{10, 10}, Define[float32](Config{Out: 10}), rand.New(rand.NewPCG(1, 2)))
	if err == nil || !strings.HasPrefix(err.Error(), "nn: conv3") {
		t.Errorf("images of 10×10 pixels: %v", err)
	}
}

// Over wide images the last convolution, whose kernel is as high as the map, would have several places.
func TestNotSquare(t *testing.T) {
	_, err := nn.New([]int{28, 40}, Define[float32](Config{Out: 10}), rand.New(rand.NewPCG(1, 2)))
	assert.ErrorContains(t, err, "images that are not square; pad or scale them")
}

func ExampleDefine() {
	net, err := nn.New([]int{28, 28}, Define[float32](Config{Out: 10}), rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		panic(err)
	}
	logits, err := net.Forward(make([]float32, 5*28*28), 5)
	fmt.Println(len(logits), err)
	// Output: 50 <nil>
}
