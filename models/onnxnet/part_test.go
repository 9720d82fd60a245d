package onnxnet

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/models/onnx"
	"hinge/nn"
)

// TestFixedBatchWritten: what a file of a fixed batch of 4 has for each of its examples is
// written for any number: constants of equal rows, states, lengths, sizes and ends. onnxruntime
// 1.31.1 has the same answers of such files, written, for batches of 1, 4 and 12.
func TestFixedBatchWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rows := func(name string, shape ...int) *tensor { // of equal parts along the first axis
		w := weight(name, rng, append([]int{1}, shape[1:]...)...)
		return &tensor{name: name, kind: kindFloat, shape: shape, floats: slices.Repeat(w.floats, shape[0])}
	}
	two, lstm := []string{"x", "c"}, []*tensor{weight("w", rng, 1, 16, 3), weight("r", rng, 1, 16, 4), list("l", 2, 2, 2, 2), weight("h", rng, 1, 1, 4)}
	lstm[2].kind = kindInt32
	lstm[3].shape, lstm[3].floats = []int{1, 4, 4}, slices.Repeat(lstm[3].floats, 4)
	e := of("Concat", "y", []string{"e", "x"}, "axis", 1)
	for name, c := range map[string]struct {
		weights []*tensor
		nodes   []*node
	}{
		"sum":              {[]*tensor{rows("c", 4, 2, 3)}, []*node{of("Add", "y", two)}},
		"product":          {[]*tensor{rows("c", 4, 3, 2)}, []*node{of("MatMul", "y", two)}},
		"beside":           {[]*tensor{rows("c", 4, 1, 3)}, []*node{of("Concat", "y", two, "axis", 1)}},
		"repeated":         {[]*tensor{rows("c", 1, 1, 3), list("s", 4, 1, 3)}, []*node{of("Expand", "e", []string{"c", "s"}), e}},
		"filled":           {[]*tensor{list("s", 4, 1, 3)}, []*node{of("ConstantOfShape", "e", []string{"s"}, "value", number("", 2)), e}},
		"steps":            {lstm, []*node{of("Transpose", "t", []string{"x"}, "perm", []int{1, 0, 2}), of("LSTM", "q", []string{"t", "w", "r", "", "l", "h"}, "hidden_size", 4), of("Transpose", "y", []string{"q"}, "perm", []int{2, 0, 1, 3})}},
		"sizes":            {[]*tensor{list("s", 4, 2, 2)}, []*node{of("Resize", "y", []string{"x", "", "", "s"}, "coordinate_transformation_mode", "asymmetric", "nearest_mode", "floor")}},
		"ends":             {[]*tensor{list("a", 0, 1), list("b", 4, 2)}, []*node{of("Slice", "y", []string{"x", "a", "b"})}},
		"a size as such":   {[]*tensor{list("i", 0)}, []*node{of("Shape", "s", []string{"x"}), of("Gather", "n", []string{"s", "i"}), of("Cast", "f", []string{"n"}, "to", kindFloat), of("Mul", "y", []string{"x", "f"})}},
		"padded with ones": {[]*tensor{list("p", 0, 1, 0, 0, 0, 0), number("v", 1)}, []*node{of("Pad", "y", []string{"x", "p", "v"})}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := small(17, []int{2, 3}, c.weights, c.nodes...)
			require.NoError(t, err)
			f.batch = 4
			net, err := nn.New([]int{2, 3}, Define[float32](f), rng)
			require.NoError(t, err)
			x := make([]float32, 12*6)
			for i := range x {
				x[i] = float32((7*i)%11-5) / 4
			}
			for _, n := range []int{1, 4, 12} {
				rewritten(t, net, Define[float32](f), x[:n*6])
			}
			g, _ := again(t, net, Define[float32](f))
			single := func(in string) bool { n := g.maker(in); return n != nil && n.op == "Gather" }
			for _, n := range g.needed {
				assert.False(t, n.op == "Expand" && name != "repeated", "operators have no Expand before version 8")
				assert.False(t, n.op == "LSTM" && n.in[4] != "" || n.op == "Resize" && len(n.in) > 3 || n.op == "Concat" && n.integer("axis", 0) == 1 && slices.ContainsFunc(n.in, single), "%s reads %v", n.op, n.in)
			}
		})
	}
	for want, c := range map[string]struct {
		weights []*tensor
		node    *node
	}{
		"the Resize has sizes for a fixed batch, which scales do not make": {[]*tensor{list("s", 4, 28, 2)}, of("Resize", "y", []string{"x", "", "", "s"}, "coordinate_transformation_mode", "asymmetric", "nearest_mode", "floor")},
		"what the Einsum makes of a constant is meant for a fixed batch":   {[]*tensor{rows("c", 4, 28, 3)}, of("Einsum", "y", two, "equation", "nij,njk->nik")},
	} {
		f, err := small(17, []int{1, 28}, c.weights, c.node)
		require.NoError(t, err)
		f.batch = 4
		net, err := nn.New([]int{1, 28}, Define[float32](f), rng)
		require.NoError(t, err)
		require.ErrorContains(t, onnx.Write(&bytes.Buffer{}, "fixed", net, Define[float32](f)), want)
	}
}

// TestAutoPadWritten: padding that a file leaves to the runtime is written as numbers, those of the
// operators' formula. onnxruntime 1.32.0 has no auto_pad of dilated convolutions, leaves dilation out
// of that of pools and refuses one below 0; written, it has the answers of this package.
func TestAutoPadWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		op, auto               string
		kernel, stride, dilate int
		pads                   []int
	}{
		{"Conv", "SAME_UPPER", 3, 2, 2, []int{2, 1, 2, 2}}, {"Conv", "SAME_LOWER", 2, 1, 1, []int{1, 1, 0, 0}},
		{"MaxPool", "SAME_LOWER", 3, 2, 2, []int{2, 2, 2, 1}}, {"MaxPool", "SAME_UPPER", 1, 3, 1, []int{0, 0, 0, 0}},
		{"AveragePool", "SAME_UPPER", 1, 3, 1, []int{0, 0, 0, 0}}, {"AveragePool", "SAME_UPPER", 2, 1, 1, []int{0, 0, 1, 1}},
	} {
		k := []int{c.kernel, c.kernel}
		n := of(c.op, "y", []string{"x"}, "auto_pad", c.auto, "kernel_shape", k, "strides", []int{c.stride, c.stride})
		var weights []*tensor
		if c.op == "Conv" {
			n.in, weights = []string{"x", "w"}, []*tensor{weight("w", rng, 3, 2, c.kernel, c.kernel)}
		}
		if c.dilate > 1 {
			n.attributes["dilations"] = of("", "", nil, "dilations", []int{c.dilate, c.dilate}).attributes["dilations"]
		}
		f, err := small(17, []int{2, 7, 6}, weights, n)
		require.NoError(t, err)
		net, err := nn.New([]int{2, 7, 6}, Define[float32](f), rng)
		require.NoError(t, err)
		x := make([]float32, 2*84)
		for i := range x {
			x[i] = float32((7*i)%11-5) / 4
		}
		rewritten(t, net, Define[float32](f), x)
		g, _ := again(t, net, Define[float32](f))
		w := g.maker(g.needed[0].out[0])
		assert.Equal(t, c.op, w.op)
		assert.Equal(t, "NOTSET", w.text("auto_pad", "NOTSET"), c.op)
		assert.Equal(t, c.pads, w.list("pads"), c.op)
	}
}

// TestTurnedWritten: the weights of a linear layer that a file holds as [in, out], not as package nn exports
// them, are written as the file held them, with the values that they have then.
func TestTurnedWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	f, err := small(17, []int{3}, []*tensor{weight("w", rng, 3, 2), weight("b", rng, 2)}, of("Gemm", "y", []string{"x", "w", "b"}))
	require.NoError(t, err)
	net, err := nn.New([]int{3}, Define[float32](f), rng)
	require.NoError(t, err)
	for _, p := range net.Params().All() {
		for i := range p.Value {
			p.Value[i] = float32(i + 1)
		}
	}
	got, err := net.Forward([]float32{1, 10, 100}, 1)
	require.NoError(t, err)
	assert.Equal(t, []float32{532, 644}, got) // 1 + 30 + 500 + 1, 2 + 40 + 600 + 2
	rewritten(t, net, Define[float32](f), []float32{1, 10, 100})
}
