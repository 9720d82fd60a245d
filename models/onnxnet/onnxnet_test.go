package onnxnet

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/models/lenet"
	"hinge/models/mlp"
	"hinge/models/onnx"
	"hinge/models/resnet18"
	"hinge/nn"
)

// written is a network of package nn as the file that package onnx writes.
func written(t *testing.T, example []int, define nn.Definition[float32]) (*nn.Net[float32], *File) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	net, err := nn.New(example, define, rng)
	require.NoError(t, err)
	for _, p := range net.Params().All() {
		for i := range p.Value {
			if len(p.Shape) == 1 {
				p.Value[i] = 0.5 + rng.Float32()
			}
		}
	}
	var out bytes.Buffer
	require.NoError(t, onnx.Write(&out, "net", net, define))
	f, err := Parse(out.Bytes())
	require.NoError(t, err)
	return net, f
}

// TestRoundTrip: what package onnx writes is the same network again: parameters by
// name, outputs in evaluation, and outputs and gradients in training.
func TestRoundTrip(t *testing.T) {
	for name, c := range map[string]struct {
		example []int
		define  nn.Definition[float32]
	}{
		"mlp":      {[]int{6}, mlp.Define[float32]("layers", mlp.Config{Hidden: []int{5, 4}, Out: 3})},
		"lenet":    {[]int{28, 28}, lenet.Define[float32](lenet.Config{Head: mlp.Config{Hidden: []int{7}, Out: 10}})},
		"resnet18": {[]int{3, 32, 32}, resnet18.Define[float32](resnet18.Config{Channels: 3, Features: 6, Widths: [4]int{4, 5, 6, 7}, Head: mlp.Config{Out: 4}})},
	} {
		t.Run(name, func(t *testing.T) {
			net, f := written(t, c.example, c.define)
			again, err := nn.New(c.example, Define[float32](f), rand.New(rand.NewPCG(8, 0)))
			require.NoError(t, err)
			for _, p := range net.Params().All() {
				q := again.Params().Get(p.Name)
				if q == nil || !slices.Equal(p.Value, q.Value) || p.Buffer != q.Buffer {
					t.Errorf("%s is another, or not there", p.Name)
				}
			}
			const n = 4
			rng := rand.New(rand.NewPCG(9, 0))
			x := make([]float32, n*product(c.example))
			for i := range x {
				x[i] = rng.Float32()
			}
			want, err := net.Forward(x, n)
			require.NoError(t, err)
			got, err := again.Forward(x, n)
			require.NoError(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("logits %v, want %v", got, want)
			}
			target := make([]float32, len(want))
			step := func(net *nn.Net[float32]) float64 {
				g, err := net.Graph(n, true)
				if err == nil {
					_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
				}
				if err == nil {
					err = g.Run(x)
				}
				require.NoError(t, err)
				return g.Loss()
			}
			if a, b := step(net), step(again); a != b {
				t.Errorf("loss %v in training, want %v", b, a)
			}
			for _, p := range net.Params().Trainable() {
				if !slices.Equal(p.Grad, again.Params().Get(p.Name).Grad) {
					t.Errorf("%s has another gradient", p.Name)
				}
			}
			for _, p := range net.Params().All() {
				if q := again.Params().Get(p.Name); p.Buffer && !slices.Equal(p.Value, q.Value) {
					t.Errorf("%s moved elsewhere", p.Name)
				}
			}
		})
	}
}
