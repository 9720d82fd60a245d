package onnxnet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
)

// TestOperatorValues: values by onnxruntime 1.31.1 (operators of version 17) of
//
//	x = ((7*numpy.arange(24)) % 11 - 5) / 4
//
// in the shape of each line, taken as one batch.
func TestOperatorValues(t *testing.T) {
	for i, c := range []struct {
		shape   []int
		weights []*tensor
		node    *node
		want    []float32
	}{
		{[]int{2, 3, 4}, nil, of("ReduceMean", "y", []string{"x"}, "axes", []int{1}, "keepdims", 0), []float32{-0.66666669, 0.16666667, 0.083333336, 0, 0.16666667, 0.083333336, 0, -0.083333336}},
		{[]int{2, 3, 2}, []*tensor{list("p", 0, 1, 0, 0, 0, 2), number("v", 9)}, of("Pad", "y", []string{"x", "p", "v"}), []float32{9, 9, 9, 9, -1.25, 0.5, 9, 9, -0.5, 1.25, 9, 9, 0.25, -0.75, 9, 9, 9, 9, 9, 9, 1, 0, 9, 9, -1, 0.75, 9, 9, -0.25, -1.25, 9, 9}},
		{[]int{2, 4}, []*tensor{list("p", 0, 2, 0, 1)}, of("Pad", "y", []string{"x", "p"}, "mode", "reflect"), []float32{-0.5, 0.5, -1.25, 0.5, -0.5, 1.25, -0.5, 1, -0.75, 0.25, -0.75, 1, 0, 1}},
		{[]int{2, 6}, []*tensor{list("s", 1), list("e", 5), list("a", 1), list("t", 2)}, of("Slice", "y", []string{"x", "s", "e", "a", "t"}), []float32{0.5, 1.25, 0, 0.75}},
		{[]int{2, 6}, []*tensor{list("s", 5), list("e", -100), list("a", 1), list("t", -2)}, of("Slice", "y", []string{"x", "s", "e", "a", "t"}), []float32{-0.75, 1.25, 0.5, -1.25, 0.75, 0}},
		{[]int{2, 3}, []*tensor{{name: "w", shape: []int{3}, kind: kindFloat, floats: []float32{1, 2, 4}}}, of("Sub", "y", []string{"x", "w"}), []float32{-2.25, -1.5, -4.5, 0.25, -1.75, -4.75}},
		{[]int{2, 3}, []*tensor{{name: "w", shape: []int{3}, kind: kindFloat, floats: []float32{1, 2, 4}}}, of("Div", "y", []string{"x", "w"}), []float32{-1.25, 0.25, -0.125, 1.25, 0.125, -0.1875}},
		{[]int{2, 3, 2}, nil, of("Softmax", "y", []string{"x"}, "axis", 1), []float32{0.13160165, 0.29381478, 0.27860069, 0.62200588, 0.58979768, 0.084179342, 0.70331395, 0.29381478, 0.095183194, 0.62200588, 0.20150283, 0.084179342}},
		{[]int{2, 1, 3, 3}, nil, of("AveragePool", "y", []string{"x"}, "kernel_shape", []int{2, 2}, "auto_pad", "SAME_LOWER"), []float32{-1.25, -0.375, 0, 0, 0.1875, -0.125, 1.125, 0.625, -0.375, 0.75, 0.25, -0.75, 0.625, 0.125, -0.1875, 0.375, -0.125, 0.25}},
		// as TensorFlow defines SAME, and onnx 1.23.2's reference computes Conv; onnxruntime 1.32 refuses it: "padding values must be non-negative"
		{[]int{2, 1, 4, 3}, nil, of("AveragePool", "y", []string{"x"}, "kernel_shape", []int{1, 1}, "auto_pad", "SAME_UPPER", "strides", []int{4, 3}), []float32{-1.25, 0.5}},
		{[]int{2, 1, 3, 3}, nil, of("AveragePool", "y", []string{"x"}, "kernel_shape", []int{2, 2}, "pads", []int{1, 1, 0, 0}, "count_include_pad", 1), []float32{-0.3125, -0.1875, 0, 0, 0.1875, -0.125, 0.5625, 0.625, -0.375, 0.1875, 0.125, -0.375, 0.3125, 0.125, -0.1875, 0.1875, -0.125, 0.25}},
		{[]int{2, 1, 3, 3}, nil, of("MaxPool", "y", []string{"x"}, "kernel_shape", []int{2, 2}, "auto_pad", "SAME_UPPER", "strides", []int{2, 2}), []float32{1.25, -0.5, 1, -1, 0.75, 1.25, 0.25, 1}},
		{[]int{2, 3}, []*tensor{{name: "w", shape: []int{3, 2}, kind: kindFloat, floats: []float32{1, 2, 3, 4, 5, 6}}, {name: "b", shape: []int{2}, kind: kindFloat, floats: []float32{10, 20}}}, of("Gemm", "y", []string{"x", "w", "b"}, "beta", 0.5, "alpha", 2.0), []float32{0.5, 3, 1.5, 8}},
		{[]int{2, 3}, nil, of("LeakyRelu", "y", []string{"x"}), []float32{-0.012499999, 0.5, -0.0049999999, 1.25, 0.25, -0.0074999998}},
		{[]int{2, 3, 2}, nil, of("Transpose", "y", []string{"x"}, "perm", []int{0, 2, 1}), []float32{-1.25, -0.5, 0.25, 0.5, 1.25, -0.75, 1, -1, -0.25, 0, 0.75, -1.25}},
		{[]int{2, 3, 2}, []*tensor{list("s", 0, 0, 1, -1)}, of("Reshape", "y", []string{"x", "s"}), []float32{-1.25, 0.5, -0.5, 1.25, 0.25, -0.75, 1, 0, -1, 0.75, -0.25, -1.25}},
		{[]int{2, 4}, nil, of("LogSoftmax", "y", []string{"x"}, "axis", 1), []float32{-3.0470951, -1.2970951, -2.2970951, -0.54709512, -1.4501327, -2.4501328, -0.70013273, -1.7001327}},
		{[]int{2, 4}, nil, of("HardSwish", "y", []string{"x"}), []float32{-0.36458331, 0.29166666, -0.20833333, 0.88541675, 0.13541667, -0.28125, 0.66666669, 0}},
		{[]int{2, 4}, nil, of("HardSigmoid", "y", []string{"x"}), []float32{0.25, 0.60000002, 0.40000001, 0.75, 0.55000001, 0.34999999, 0.69999999, 0.5}},
		{[]int{2, 4}, nil, of("Elu", "y", []string{"x"}), []float32{-0.71349519, 0.5, -0.39346933, 1.25, 0.25, -0.52763343, 1, 0}},
		{[]int{2, 4}, nil, of("Selu", "y", []string{"x"}), []float32{-1.2543954, 0.52535051, -0.69175816, 1.3133763, 0.26267526, -0.92763197, 1.050701, 0}},
		{[]int{2, 4}, nil, of("Softplus", "y", []string{"x"}), []float32{0.2519291, 0.97407699, 0.47407699, 1.501929, 0.82593948, 0.38687098, 1.3132617, 0.69314718}},
		{[]int{2, 2, 2}, []*tensor{{name: "w", shape: []int{2, 1}, kind: kindFloat, floats: []float32{0.5, 0.25}}}, of("PRelu", "y", []string{"x", "w"}), []float32{-0.625, 0.5, -0.125, 1.25, 0.25, -0.375, 1, 0}},
		{[]int{2, 3, 4}, nil, of("ReduceL2", "y", []string{"x"}, "axes", []int{2}, "keepdims", 1), []float32{1.9039433, 1.2747549, 1.7853571, 1.4577379, 1.6007811, 1.5612495}},
		{[]int{2, 3, 4}, nil, of("ReduceMax", "y", []string{"x"}, "axes", []int{1}, "keepdims", 0), []float32{0.25, 0.75, 1, 1.25, 0.75, 1, 1.25, 0.5}},
		{[]int{2, 2, 4}, []*tensor{{name: "w", shape: []int{2}, kind: kindFloat, floats: []float32{2, 3}}, {name: "b", shape: []int{2}, kind: kindFloat, floats: []float32{0.5, 1}}}, of("InstanceNormalization", "y", []string{"x", "w", "b"}, "epsilon", 0.001), []float32{-2.124681, 1.5498724, -0.5498724, 3.124681, 1.5992335, -3.1946344, 5.1946344, 0.40076649, -0.94460237, 3.549716, 0.98153412, -1.5866479, 1.5992335, -3.1946344, 5.1946349, 0.40076649}},
		{[]int{2, 1, 3}, []*tensor{{name: "w", shape: []int{1, 1, 3}, kind: kindFloat, floats: []float32{1, 2, 4}}}, of("ConvTranspose", "y", []string{"x", "w"}, "strides", []int{2}, "pads", []int{1, 0}), []float32{-2.5, -4.5, 1, 1.5, -1, -2, 2.5, 5.25, 0.5, 0.25, -1.5, -3}},
		{[]int{2, 2, 4}, []*tensor{{name: "w", shape: []int{2, 1, 2}, kind: kindFloat, floats: []float32{1, 2, 3, 4}}, {name: "b", shape: []int{2}, kind: kindFloat, floats: []float32{0.5, 1}}}, of("Conv", "y", []string{"x", "w", "b"}, "group", 2, "pads", []int{1, 0}, "dilations", []int{2}), []float32{1.5, -1.75, 3.5, -2, 5.75, -1.25, 2, -1, -1.25, -1, 7.5, 0.5}},
		{[]int{2, 1, 4}, []*tensor{{name: "s", shape: []int{3}, kind: kindFloat, floats: []float32{1, 1, 1.5}}}, of("Resize", "y", []string{"x", "", "s"}, "mode", "linear"), []float32{-1.25, -0.375, 0.33333337, -0.33333325, 0.375, 1.25, 0.25, -0.25, -0.45833334, 0.70833319, 0.5, 0}},
		{[]int{2, 1, 2}, []*tensor{{name: "s", shape: []int{3}, kind: kindFloat, floats: []float32{1, 1, 2}}}, of("Resize", "y", []string{"x", "", "s"}, "mode", "nearest"), []float32{-1.25, -1.25, 0.5, 0.5, -0.5, -0.5, 1.25, 1.25}},
		{[]int{2, 3}, []*tensor{{name: "w", shape: []int{3}, kind: kindFloat, floats: []float32{0, 0.5, -1}}}, of("Max", "y", []string{"x", "w"}), []float32{0, 0.5, -0.5, 1.25, 0.5, -0.75}},
		{[]int{2, 3}, []*tensor{{name: "w", shape: []int{3}, kind: kindFloat, floats: []float32{2, 0, 1}}}, of("Pow", "y", []string{"x", "w"}), []float32{1.5625, 1, -0.5, 1.5625, 1, -0.75}},
		{[]int{2, 1, 3}, []*tensor{list("s", 2, 1)}, of("Expand", "y", []string{"x", "s"}), []float32{-1.25, 0.5, -0.5, -1.25, 0.5, -0.5, 1.25, 0.25, -0.75, 1.25, 0.25, -0.75}},
		{[]int{2, 3, 2}, []*tensor{{name: "w", shape: []int{1, 4, 2}, kind: kindFloat, floats: []float32{1, 2, 3, 4, 0.5, 0.25, -1, 0.125}}, {name: "r", shape: []int{1, 4, 1}, kind: kindFloat, floats: []float32{1, 0.5, 0.25, 2}}, {name: "b", shape: []int{1, 8}, kind: kindFloat, floats: []float32{0.1, 0.2, 0.30000001, 0.40000001, 0.5, 0.60000002, 0.69999999, 0.80000001}}}, of("LSTM", "y", []string{"x", "w", "r", "b"}, "hidden_size", 1, "layout", 0), []float32{0.14555211, 0.7001549, 0.044411462, 0.68403774, 0.68475544, 0.0017475991}},
		{[]int{2, 3, 2}, []*tensor{{name: "w", shape: []int{1, 3, 2}, kind: kindFloat, floats: []float32{1, 2, 3, 4, 0.5, 0.25}}, {name: "r", shape: []int{1, 3, 1}, kind: kindFloat, floats: []float32{1, 0.5, 0.25}}, {name: "b", shape: []int{1, 6}, kind: kindFloat, floats: []float32{0.1, 0.2, 0.30000001, 0.40000001, 0.5, 0.60000002}}}, of("GRU", "y", []string{"x", "w", "r", "b"}, "hidden_size", 1, "linear_before_reset", 1), []float32{-0.019454965, 0.056243114, 0.22396161, 0.14745744, 0.14012536, -0.090580493}},
		{[]int{2, 3, 2}, []*tensor{{name: "w", shape: []int{1, 3, 2}, kind: kindFloat, floats: []float32{1, 2, 3, 4, 0.5, 0.25}}, {name: "r", shape: []int{1, 3, 1}, kind: kindFloat, floats: []float32{1, 0.5, 0.25}}, {name: "b", shape: []int{1, 6}, kind: kindFloat, floats: []float32{0.1, 0.2, 0.30000001, 0.40000001, 0.5, 0.60000002}}}, of("GRU", "y", []string{"x", "w", "r", "b"}, "hidden_size", 1), []float32{0.16635062, 0.056543924, 0.46488607, 0.28195551, 0.17995484, 0.43747628}},
	} {
		f, err := small(17, c.shape[1:], c.weights, c.node)
		require.NoError(t, err)
		net, err := nn.NewWhole(c.shape[1:], c.shape[0], Define[float32](f), rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		x := make([]float32, product(c.shape))
		for i := range x {
			x[i] = float32((7*i)%11-5) / 4
		}
		g, err := net.Graph(c.shape[0], false)
		require.NoError(t, err)
		_, err = g.Compile(nil)
		require.NoError(t, err)
		require.NoError(t, g.Run(x))
		assert.Len(t, g.Result(), len(c.want))
		assert.InDeltaSlicef(t, c.want, g.Result(), 2e-6, "%d: %s", i, c.node.op)
	}
}

// TestValuesByHand: values that follow from the definitions of the operators.
func TestValuesByHand(t *testing.T) {
	floats := func(name string, shape []int, v ...float32) *tensor {
		return &tensor{name: name, shape: shape, kind: kindFloat, floats: v}
	}
	parts := of("Split", "y z", []string{"x"}, "axis", 1)
	w, b := floats("w", []int{2, 2}, 1, 2, 3, 4), floats("b", []int{2}, 10, 20)
	for name, c := range map[string]struct {
		weights []*tensor
		nodes   []*node
		x, want []float64
	}{
		"the last part of an uneven split is the short one": {nil, []*node{parts}, []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3}},
		"a number less x": {[]*tensor{number("k", 2)}, []*node{of("Sub", "y", []string{"k", "x"})}, []float64{-1, 5}, []float64{3, -3}},
		"x less a number": {[]*tensor{number("k", 2)}, []*node{of("Sub", "y", []string{"x", "k"})}, []float64{-1, 5}, []float64{-3, 3}},
		"a number by x":   {[]*tensor{number("k", 2)}, []*node{of("Div", "y", []string{"k", "x"})}, []float64{-4, 8}, []float64{-.5, .25}},
		"x by a number":   {[]*tensor{number("k", 2)}, []*node{of("Div", "y", []string{"x", "k"})}, []float64{-4, 8}, []float64{-2, 4}},
		"a product without a factor, and half the summand":   {[]*tensor{w, b}, []*node{of("Gemm", "y", []string{"x", "w", "b"}, "beta", .5)}, []float64{1, 10}, []float64{36, 52}},
		"twice a product, and the summand":                   {[]*tensor{w, b}, []*node{of("Gemm", "y", []string{"x", "w", "b"}, "alpha", 2.0)}, []float64{1, 10}, []float64{72, 104}},
		"a product and a summand without axes":               {[]*tensor{floats("c", []int{2, 1}, 1, 3), floats("b", []int{}, 10)}, []*node{of("Gemm", "y", []string{"x", "c", "b"})}, []float64{1, 10}, []float64{41}},
		"the axes of a matrix in reverse":                    {[]*tensor{floats("m", []int{3, 2}, 1, 2, 3, 4, 5, 6)}, []*node{of("Transpose", "t", []string{"m"}), of("MatMul", "y", []string{"x", "t"})}, []float64{1, 10}, []float64{21, 43, 65}},
		"the difference of whole numbers, and of known ones": {[]*tensor{list("i", 2, 7), list("j", 5, 4)}, []*node{of("Cast", "n", []string{"x"}, "to", kindInt64), of("Sub", "k", []string{"i", "j"}), of("Sub", "d", []string{"n", "k"}), of("Cast", "y", []string{"d"}, "to", kindFloat)}, []float64{1, 10}, []float64{4, 7}},
		"a row of zeros by its norm":                         {nil, []*node{of("ml.Normalizer", "y", []string{"x"}, "norm", "L2")}, []float64{0, 0}, []float64{0, 0}},
		"a row by its norm":                                  {nil, []*node{of("ml.Normalizer", "y", []string{"x"}, "norm", "L2")}, []float64{3, 4}, []float64{.6, .8}},
		"a norm without an epsilon": {[]*tensor{floats("s", []int{1}, 1), floats("o", []int{1}, 0), floats("m", []int{1}, 1), floats("v", []int{1}, 0x1p-20)},
			[]*node{of("BatchNormalization", "y", []string{"x", "s", "o", "m", "v"}, "epsilon", 0.0)}, []float64{2}, []float64{1024}},
		"wrapped behind what is cut in front (onnxruntime)": {[]*tensor{list("p", 0, -1, 0, 3)}, []*node{of("Pad", "y", []string{"x", "p"}, "mode", "wrap")}, []float64{1, 2, 3, 4, 5}, []float64{2, 3, 4, 5, 2, 3, 4}},
		"wrapped before what is cut behind (onnxruntime)":   {[]*tensor{list("p", 0, 2, 0, -1)}, []*node{of("Pad", "y", []string{"x", "p"}, "mode", "wrap")}, []float64{1, 2, 3, 4, 5}, []float64{3, 4, 1, 2, 3, 4}},
		"backwards to the first":                            {[]*tensor{list("s", 2), list("e", -4), list("a", 1), list("t", -1)}, []*node{of("Slice", "y", []string{"x", "s", "e", "a", "t"})}, []float64{1, 2, 3}, []float64{3, 2, 1}},
		"backwards to the second":                           {[]*tensor{list("s", 2), list("e", -3), list("a", 1), list("t", -1)}, []*node{of("Slice", "y", []string{"x", "s", "e", "a", "t"})}, []float64{1, 2, 3}, []float64{3, 2}},
	} {
		f, err := small(17, []int{len(c.x)}, c.weights, c.nodes...)
		require.NoError(t, err, name)
		got := answer(t, f, 1, c.x...)
		assert.InDeltaSlice(t, c.want, got, 1e-12, name)
		assert.Len(t, got, len(c.want), name) // InDeltaSlice compares the elements that got has
	}
}

// answer is the output of a small network for examples, in 64 bits.
func answer(t *testing.T, f *File, n int, x ...float64) []float64 {
	t.Helper()
	net, err := nn.New([]int{len(x) / n}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	got, err := net.Forward(x, n)
	require.NoError(t, err)
	return got
}

// TestOneStep: a sequence of one step is read in a batch of one too, where a Reshape may have left the
// example on either axis. Values are tanh of the products.
func TestOneStep(t *testing.T) {
	weights := []*tensor{list("s", -1, 1, 2), list("same", 0, 0, -1), list("flat", -1, 1), {name: "w", shape: []int{1, 1, 2}, kind: kindFloat, floats: []float32{.5, -1}}, {name: "r", shape: []int{1, 1, 1}, kind: kindFloat, floats: []float32{3}}}
	f, err := small(17, []int{2}, weights, of("Reshape", "one", []string{"x", "s"}), of("Transpose", "t", []string{"one"}, "perm", []int{1, 0, 2}),
		of("Reshape", "u", []string{"t", "same"}), of("RNN", "q", []string{"u", "w", "r"}), of("Reshape", "y", []string{"q", "flat"}))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{math.Tanh(.75)}, answer(t, f, 1, 2, .25), 1e-12)
	assert.InDeltaSlice(t, []float64{math.Tanh(.75), math.Tanh(-1)}, answer(t, f, 2, 2, .25, 0, 1), 1e-12)
}

// TestCasts: integers lose fractions and what their bits do not hold, truths are 0 and 1, and
// half floats are rounded to eleven digits, whether the kind is given or that of another array.
func TestCasts(t *testing.T) {
	x := []float64{2049, -3.75, 8589934597, 0.1}
	for kind, want := range map[int][]float64{
		kindInt32: {2049, -3, 5, 0}, kindUint8: {1, 253, 5, 0}, kindBool: {1, 1, 1, 1}, kindInt64: {2049, -3, 8589934597, 0},
		kindHalf: {2048, -3.75, math.Inf(1), 0.0999755859375}, kindBrain: {2048, -3.75, 8589934592, 0.10009765625},
	} {
		f, err := small(17, []int{4}, nil, of("Cast", "c", []string{"x"}, "to", kind), of("Cast", "y", []string{"c"}, "to", kindFloat))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(want), fmt.Sprint(answer(t, f, 1, x...)), kind)
		like := &tensor{name: "k", kind: kind, shape: []int{1}, floats: []float32{7}, doubles: []float64{7}}
		f, err = small(17, []int{4}, []*tensor{like}, of("CastLike", "c", []string{"x", "k"}), of("Cast", "y", []string{"c"}, "to", kindFloat))
		require.NoError(t, err)
		if kind == kindHalf || kind == kindBrain {
			_, err = nn.New([]int{4}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
			assert.ErrorContains(t, err, "CastLike): numbers in the precision of others, of 16 bits")
			continue
		}
		assert.Equal(t, fmt.Sprint(want), fmt.Sprint(answer(t, f, 1, x...)), kind)
	}
	// A convolution without bias has one of zeros in PyTorch's files, of the kind of its weights.
	w := &tensor{name: "w", kind: kindFloat, shape: []int{2, 1, 1}, floats: []float32{2, -3}}
	f, err := small(17, []int{1, 2}, []*tensor{w, list("n", 2), number("o", 0)}, of("Expand", "e", []string{"o", "n"}),
		of("CastLike", "b", []string{"e", "w"}), of("Conv", "y", []string{"x", "w", "b"}))
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 10, -3, -15}, answer(t, f, 1, 1, 5))
	net, err := nn.New([]int{1, 2}, Define[float32](f), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	assert.Len(t, net.Params().All(), 1)
	rewritten(t, net, Define[float32](f), []float32{1, 5})
}

// TestNotANumber: the maximum of a window with a NaN is none.
func TestNotANumber(t *testing.T) {
	for _, kernel := range [][]int{{2, 2}, {2, 1}} {
		f, err := small(17, []int{1, 2, 2}, nil, of("MaxPool", "y", []string{"x"}, "kernel_shape", kernel, "strides", []int{2, 2}))
		require.NoError(t, err)
		net, err := nn.New([]int{1, 2, 2}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		got, err := net.Forward([]float64{math.NaN(), 1, 2, 3}, 1)
		require.ErrorAs(t, err, new(*nn.DivergedError))
		assert.True(t, math.IsNaN(got[0]), kernel)
	}
}

// TestEnds: a Softmax at the end is left out of the logits, whatever of form follows it.
func TestEnds(t *testing.T) {
	for _, after := range [][]*node{
		nil, {of("Identity", "z", []string{"y"})}, {of("Flatten", "z", []string{"y"})},
		{of("Reshape", "r", []string{"y", "s"}), of("Cast", "z", []string{"r"}, "to", kindFloat)},
	} {
		f, err := small(17, []int{2}, []*tensor{list("s", -1, 2)}, append([]*node{of("Softmax", "y", []string{"x"}, "axis", 1)}, after...)...)
		require.NoError(t, err)
		assert.Equal(t, []float64{3, -5}, answer(t, f.Logits(), 1, 3, -5))
		assert.InDelta(t, 1/(1+math.Exp(-8)), answer(t, f, 1, 3, -5)[0], 1e-12)
	}
	for _, version := range []int{11, 17} { // groups of outputs have a softmax each, but before version 13
		f, err := small(version, []int{3, 4}, nil, of("Softmax", "y", []string{"x"}, "axis", 1), of("Flatten", "z", []string{"y"}))
		require.NoError(t, err)
		_, err = nn.New([]int{3, 4}, Define[float64](f.Logits()), rand.New(rand.NewPCG(1, 1)))
		if version < 13 {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "a softmax over 3 numbers at a time of the shape [2 3 4]")
		}
	}
	one := number("one", 1) // a classifier of two classes: 1 − p beside p
	f, err := small(17, []int{1}, []*tensor{one}, of("Sigmoid", "p", []string{"x"}), of("Sub", "q", []string{"one", "p"}), of("Concat", "y", []string{"q", "p"}, "axis", 1))
	require.NoError(t, err)
	z := answer(t, f.Logits(), 1, 2)
	assert.InDelta(t, 2, z[1]-z[0], 1e-12)
}

// TestMixedExamples: networks in which an example sees others are refused, and are computed as
// one batch where that is asked for.
func TestMixedExamples(t *testing.T) {
	x := []string{"x"}
	for want, nodes := range map[string][]*node{
		"along axis 0 of the shape [2 2], that of the examples": {of("Softmax", "y", x, "axis", 0)},
		"it joins arrays with the examples on axes 0 and 1":     {of("Transpose", "t", x), of("Add", "y", []string{"x", "t"})},
		"it sums over the examples":                             {of("Transpose", "t", x), of("MatMul", "y", []string{"t", "x"})},
		"it takes some of the examples":                         {of("Gather", "t", []string{"x", "i"}, "axis", 0), of("Add", "y", []string{"x", "t"})},
		"it puts arrays behind the examples":                    {of("Concat", "t", []string{"x", "x"}, "axis", 0), of("Slice", "y", x, "starts", []int{0}, "ends", []int{2})},
	} {
		if nodes[0].op == "Concat" {
			nodes = []*node{nodes[0], of("Slice", "y", []string{"t"}, "starts", []int{0}, "ends", []int{2})}
			nodes[1].version = 9
		}
		f, err := small(9, []int{2}, []*tensor{list("i", 0)}, nodes...)
		if nodes[0].op == "Softmax" {
			f, err = small(17, []int{2}, nil, nodes...)
		}
		require.NoError(t, err)
		_, err = nn.New([]int{2}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
		require.ErrorContains(t, err, want)
	}
	f, err := small(17, []int{1}, nil, of("Softmax", "y", x, "axis", 0))
	require.NoError(t, err)
	net, err := nn.NewWhole([]int{1}, 3, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	got, err := net.Forward([]float64{0, 0, 0}, 3)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{1. / 3, 1. / 3, 1. / 3}, got, 1e-12)
}

// TestFixedBatch: shapes that hold the batch of the file are taken for any batch.
func TestFixedBatch(t *testing.T) {
	f, err := small(17, []int{6}, []*tensor{list("a", 2, 3, 2), list("b", 6, 2), list("c", 2, 6)},
		of("Reshape", "u", []string{"x", "a"}), of("Reshape", "v", []string{"u", "b"}), of("Reshape", "y", []string{"v", "c"}))
	require.NoError(t, err)
	f.batch = 2
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
	assert.Equal(t, x, answer(t, f, 3, x...))
}

// TestConstantBeyond: a constant that 32 bits do not hold is refused in them alone.
func TestConstantBeyond(t *testing.T) {
	f, err := small(17, []int{2}, []*tensor{{name: "k", kind: kindDouble, shape: []int{2}, doubles: []float64{1, 1e300}}}, of("Add", "y", []string{"x", "k"}))
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 1e300}, answer(t, f, 1, 1, 2))
	_, err = nn.New([]int{2}, Define[float32](f), rand.New(rand.NewPCG(1, 1)))
	require.ErrorContains(t, err, "1e+300 is beyond the numbers of 32 bits")
}

// TestShapesThatFitNothing: a scalar where columns are wanted is refused with the node.
func TestShapesThatFitNothing(t *testing.T) {
	scaler := of("Scaler", "y", []string{"s"})
	scaler.domain = ".ml"
	f, err := small(9, []int{2}, nil, of("ReduceMax", "s", []string{"x"}, "keepdims", 0), scaler)
	require.NoError(t, err)
	_, err = nn.New([]int{2}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
	require.ErrorContains(t, err, "onnx node the Scaler (Scaler): its inputs do not fit it")
}

// TestShapeOfNorm: a Shape may read a batch normalisation that is computed with the Add and Relu behind it.
func TestShapeOfNorm(t *testing.T) {
	floats := func(name string, v ...float32) *tensor {
		return &tensor{name: name, shape: []int{1}, kind: kindFloat, floats: v}
	}
	norm := of("BatchNormalization", "n", []string{"x", "s", "b", "m", "v"}, "epsilon", 0.0) // 2·(x − 1)/2 + 3
	weights := []*tensor{floats("s", 2), floats("b", 3), floats("m", 1), floats("v", 4)}
	for behind, want := range map[*node][]float64{
		of("Relu", "r", []string{"n"}):     {0, 3, 2, 7},
		of("Add", "r", []string{"n", "x"}): {-8, 4, 2, 12},
	} {
		for _, shaped := range []string{"n", "r"} {
			f, err := small(17, []int{1, 2, 2}, weights, norm, behind, of("Relu", "p", []string{"r"}), of("Shape", "k", []string{shaped}), of("Reshape", "y", []string{"p", "k"}))
			require.NoError(t, err)
			net, err := nn.New([]int{1, 2, 2}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
			require.NoError(t, err, "%s, Shape of %s", behind.op, shaped)
			got, err := net.Forward([]float64{-5, 1, 0, 5}, 1)
			require.NoError(t, err)
			for i := range want {
				assert.InDelta(t, max(0, want[i]), got[i], 1e-12, "%s, Shape of %s", behind.op, shaped)
			}
		}
	}
}
