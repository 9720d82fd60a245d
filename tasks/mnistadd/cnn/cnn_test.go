package cnn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/tasks/mnistadd/cnn"
)

// small is a narrow backbone on 8×8 images.
var small = resnet18.Config{Features: 3, Widths: [4]int{2, 2, 2, 2}}

func network(t *testing.T, c cnn.Config) *nn.Net[float64] {
	t.Helper()
	net, err := nn.New([]int{c.Images * 8, 8}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return cnn.Apply(b, x, c)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	return net
}

// TestGradient checks the cross entropy of the sums by central differences in
// every parameter array of backbone and head.
func TestGradient(t *testing.T) {
	net := network(t, cnn.Config{Images: 2, Sums: cnn.Sums(1), Backbone: small})
	graph, err := net.Graph(4, true)
	require.NoError(t, err)
	sums := []int{0, 18, 7, 11}
	_, err = graph.Compile(graph.Builder().CrossEntropy("loss", graph.Output, sums, nil))
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 4*2*64)
	for i := range x {
		x[i] = rng.Float64()
	}
	run := func() float64 {
		require.NoError(t, graph.Run(x))
		return graph.Loss()
	}
	run()
	checked := 0
	for _, p := range net.Params().Trainable() {
		grad := append([]float64(nil), p.Grad...)
		for range 3 {
			if len(p.Live) == 0 {
				continue
			}
			i := p.Live[0].Lo + rng.IntN(p.Live[0].Len())
			slope := func(h float64) float64 {
				keep := p.Value[i]
				p.Value[i] = keep + h
				up := run()
				p.Value[i] = keep - h
				down := run()
				p.Value[i] = keep
				return (up - down) / (2 * h)
			}
			d, d2 := slope(1e-5), slope(4e-6)
			if math.Abs(d-d2) > 1e-5*(1e-3+math.Abs(d)) {
				continue // a kink of a ReLU or of the pooling
			}
			assert.InDeltaf(t, grad[i], d, 1e-4*(1e-3+math.Abs(d)), "%s[%d]", p.Name, i)
			checked++
			run()
		}
	}
	assert.GreaterOrEqual(t, checked, 60)
}

// TestImagesInOrder: an addition's logits depend on its own images and on their
// order, and on nothing else in the batch.
func TestImagesInOrder(t *testing.T) {
	net := network(t, cnn.Config{Images: 2, Sums: 19, Backbone: small})
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 3*128)
	for i := range 128 {
		x[i] = rng.Float64()
		x[128+(i+64)%128] = x[i] // the same images, exchanged
		x[256+i] = x[i]
	}
	out, err := net.Forward(x, 3)
	require.NoError(t, err)
	for k := range 19 {
		require.Equal(t, out[38+k], out[k], "equal additions, logits")
	}
	if out[0] == out[19] {
		t.Error("exchanging the images changed nothing")
	}
}

func TestBadShape(t *testing.T) {
	_, err := nn.New([]int{9, 8}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return cnn.Apply(b, x, cnn.Config{Images: 2, Sums: 19, Backbone: small})
	}, rand.New(rand.NewPCG(1, 2)))
	assert.Error(t, err, "nine rows for two images gave no error")
}

func ExampleSums() {
	fmt.Println(cnn.Sums(1), cnn.Sums(2))
	// Output: 19 199
}
