package lenet

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/models/mlp"
	"hinge/nn"
)

// TestSize: the parameters are those of LeNet-5, whose second layer sees all maps here,
// with the scale and shift of normalisation in place of the biases of convolutions.
func TestSize(t *testing.T) {
	net, err := nn.New([]int{28, 28}, Define[float32](Config{Head: mlp.Config{Hidden: []int{84}, Out: 10}}), rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	convolutions, norms, head := 25*6+25*6*16+25*16*120, 2*(6+16+120), 120*84+84+84*10+10
	if n, want := net.Params().Count(), convolutions+norms+head; n != want {
		t.Errorf("%d parameters, want %d", n, want)
	}
	var names []string
	for _, p := range net.Params().Trainable() {
		names = append(names, p.Name)
	}
	want := []string{"conv1.weight", "bn1.weight", "bn1.bias", "conv2.weight", "bn2.weight", "bn2.bias", "conv3.weight", "bn3.weight", "bn3.bias",
		"head.0.weight", "head.0.bias", "head.1.weight", "head.1.bias"}
	assert.Equal(t, want, names, "parameters")
}

// TestGradient checks derivatives of a narrow network against central differences.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	net, err := nn.New([]int{16, 16}, Define[float64](Config{Widths: [3]int{2, 3, 4}, Head: mlp.Config{Out: 3}}), rng)
	require.NoError(t, err)
	const n = 3
	g, err := net.Graph(n, true)
	require.NoError(t, err)
	_, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, []int{0, 1, 2}, nil))
	require.NoError(t, err)
	x := make([]float64, n*16*16)
	for i := range x {
		x[i] = rng.Float64()
	}
	assert.NoError(t, nn.CheckGradient(g, x))
}

func TestTooSmall(t *testing.T) {
	if _, err := nn.New([]int{6, 6}, Define[float32](Config{}), rand.New(rand.NewPCG(1, 2))); err == nil || !strings.HasPrefix(err.Error(), "nn: conv2") {
		t.Errorf("images of 6×6 pixels: %v", err)
	}
}

// Over wide images the last convolution, whose kernel is as high as the map, would have several places.
func TestNotSquare(t *testing.T) {
	_, err := nn.New([]int{28, 40}, Define[float32](Config{}), rand.New(rand.NewPCG(1, 2)))
	assert.ErrorContains(t, err, "images that are not square; pad or scale them")
}

// Without a head the network gives features.
func ExampleDefine() {
	net, err := nn.New([]int{28, 28}, Define[float32](Config{Widths: [3]int{16, 32, 128}}), rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		panic(err)
	}
	features, err := net.Forward(make([]float32, 5*28*28), 5)
	fmt.Println(len(features), err)
	// Output: 640 <nil>
}
