package gcn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/models/gcn"
	"hinge/nn"
	"hinge/nn/difference"
)

// path is a path of n nodes with one word each and its propagation matrix.
func path(n int) gcn.Graph[float64] {
	x := &nn.Sparse[float64]{Rows: n, Cols: n, Ptr: []int{0}}
	s := &nn.Sparse[float64]{Rows: n, Cols: n, Ptr: []int{0}}
	degree := func(i int) float64 {
		if i == 0 || i == n-1 {
			return 2
		}
		return 3
	}
	for i := range n {
		x.Col, x.Val = append(x.Col, int32(i)), append(x.Val, 1)
		x.Ptr = append(x.Ptr, len(x.Col))
		for j := max(i-1, 0); j <= min(i+1, n-1); j++ {
			s.Col, s.Val = append(s.Col, int32(j)), append(s.Val, 1/math.Sqrt(degree(i)*degree(j)))
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
	return gcn.Graph[float64]{Features: x, Propagation: s}
}

type layer func(b *nn.Builder[float64], prefix string, g gcn.Graph[float64], c gcn.Config) *gorgonia.Node

// build makes a compiled graph with a cross-entropy loss.
func build(t *testing.T, f layer, n int, c gcn.Config) (*nn.Net[float64], *nn.Graph[float64]) {
	t.Helper()
	net, err := nn.NewWhole([]int{1}, n, func(b *nn.Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return f(b, "net", path(n), c)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(n, true)
	require.NoError(t, err)
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i * c.Out / n
	}
	_, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, labels, nil))
	require.NoError(t, err)
	return net, g
}

// TestGradients checks both networks against finite differences.
func TestGradients(t *testing.T) {
	const n = 7
	for name, f := range map[string]layer{"convolution": gcn.Convolution[float64], "propagation": gcn.Propagation[float64]} {
		for _, c := range []gcn.Config{
			{Hidden: 4, Out: 3, Dropout: 0.4, Steps: 3, Teleport: 0.1},
			{Hidden: 4, Out: 3, Steps: 2, Teleport: 0.3},
		} {
			net, g := build(t, f, n, c)
			loss := func() float64 {
				require.NoError(t, g.Run(make([]float64, n)))
				return g.Loss()
			}
			checked := 0
			for _, p := range net.Params().Trainable() {
				loss()
				for _, v := range p.Grad {
					if v != 0 {
						checked++
					}
				}
				assert.NoError(t, difference.Check(name+": "+p.Name, p.Value, p.Grad, len(p.Value), 1e-6, loss))
			}
			if checked < 10 {
				t.Errorf("%s: only %d gradients are not zero", name, checked)
			}
		}
	}
}

// TestReach: a node of the convolution sees two steps far, no further.
func TestReach(t *testing.T) {
	const n = 7
	net, g := build(t, gcn.Convolution[float64], n, gcn.Config{Hidden: 3, Out: 2})
	run := func() []float64 {
		require.NoError(t, g.Run(make([]float64, n)))
		return append([]float64(nil), g.Result()...)
	}
	before := run()
	w := net.Params().Get("net.0.weight").Value // [in][out] storage: row 0 is word 0
	for j := range 3 {
		w[j] += 3
	}
	after := run()
	for i := range n {
		moved := before[2*i] != after[2*i]
		if moved != (i <= 2) {
			t.Errorf("node %d moved: %v", i, moved)
		}
	}
}

// Forward takes the nodes of any graph as one batch: a path of five has the outputs of its graph.
func TestForward(t *testing.T) {
	x := make([]float64, 5)
	net, g := build(t, gcn.Convolution[float64], len(x), gcn.Config{Hidden: 3, Out: 2})
	require.NoError(t, g.Run(x))
	got, err := net.Forward(x, len(x))
	require.NoError(t, err)
	assert.InDeltaSlice(t, g.Result(), got, 1e-12)
}

// TestNoHidden is a linear model with propagated logits.
func TestNoHidden(t *testing.T) {
	net, _ := build(t, gcn.Propagation[float64], 5, gcn.Config{Out: 2, Steps: 1})
	if n := net.Params().Count(); n != 5*2+2 {
		t.Errorf("%d parameters, want 12", n)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []gcn.Config{{Hidden: 3}, {Hidden: 3, Out: 2, Dropout: 1, Steps: 1}, {Hidden: 3, Out: 2}} {
		_, err := nn.NewWhole([]int{1}, 4, func(b *nn.Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			return gcn.Propagation(b, "net", path(4), c)
		}, rand.New(rand.NewPCG(1, 1)))
		assert.ErrorContainsf(t, err, "net.", "%+v", c)
	}
}

// A graph convolutional network for a path of four nodes.
func ExampleConvolution() {
	net, err := nn.NewWhole([]int{1}, 4, func(b *nn.Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return gcn.Convolution(b, "gcn", path(4), gcn.Config{Hidden: 8, Out: 3, Dropout: 0.5})
	}, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		panic(err)
	}
	for _, p := range net.Params().All() {
		fmt.Println(p.Name, p.Shape)
	}
	// Output:
	// gcn.0.weight [8 4]
	// gcn.0.bias [8]
	// gcn.1.weight [3 8]
	// gcn.1.bias [3]
}
