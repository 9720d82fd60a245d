package onnxnet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/nn/difference"
)

// weight is a tensor of random numbers, away from 0, that learns.
func weight(name string, rng *rand.Rand, shape ...int) *tensor {
	t := &tensor{name: name, shape: shape, kind: kindFloat, learned: true}
	for range product(shape) {
		t.floats = append(t.floats, 0.5+rng.Float32())
	}
	return t
}

// number is a constant.
func number(name string, v float32) *tensor {
	return &tensor{name: name, kind: kindFloat, floats: []float32{v}}
}

// list is a constant of integers.
func list(name string, ints ...int) *tensor {
	return &tensor{name: name, shape: []int{len(ints)}, kind: kindInt64, doubles: doublesOf(ints)}
}

// small is a file of one input x, some nodes and weights; the last node's first output is
// the file's.
func small(opset int, x []int, weights []*tensor, nodes ...*node) (*File, error) {
	f := &File{nodes: nodes, weights: map[string]*tensor{}, opsets: map[string]int{"": opset}}
	for _, n := range nodes {
		n.version = opset
	}
	for _, w := range weights {
		f.weights[w.name] = w
	}
	f.input = port{"x", append([]int{0}, x...), kindFloat}
	f.output = nodes[len(nodes)-1].out[0]
	err := f.order()
	if err == nil {
		f.share()
	}
	return f, err
}

// of is a node; attributes are pairs of a name and an int, a float64, a []int, a string or a
// tensor.
func of(op, out string, in []string, attributes ...any) *node {
	n := &node{op: op, name: "the " + op, in: in, out: strings.Fields(out), attributes: map[string]*onnx.AttributeProto{}}
	for i := 0; i < len(attributes); i += 2 {
		a := &onnx.AttributeProto{Name: attributes[i].(string)}
		switch v := attributes[i+1].(type) {
		case int:
			a.I = int64(v)
		case float64:
			a.F = float32(v)
		case []int:
			for _, x := range v {
				a.Ints = append(a.Ints, int64(x))
			}
		case []float32:
			a.Floats = v
		case string:
			a.S = []byte(v)
		case *tensor:
			n.value, a.T = v, &onnx.TensorProto{}
		}
		n.attributes[a.Name] = a
	}
	return n
}

// TestOperatorGradients: every operator between a linear map that learns and the loss,
// by central differences in 64 bits.
func TestOperatorGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type made struct {
		shape   []int // of the operator's input y, without the batch
		weights []*tensor
		nodes   []*node
	}
	y := []string{"y"}
	one := func(op string, shape []int, attributes ...any) made {
		return made{shape, nil, []*node{of(op, "z", y, attributes...)}}
	}
	with := func(op string, shape []int, w *tensor, attributes ...any) made {
		return made{shape, []*tensor{w}, []*node{of(op, "z", []string{"y", w.name}, attributes...)}}
	}
	maps, rows := []int{4, 5, 6}, []int{3, 4}
	tests := map[string]made{
		"Conv": {maps, []*tensor{weight("w", rng, 6, 4, 3, 3), weight("b", rng, 6)},
			[]*node{of("Conv", "z", []string{"y", "w", "b"}, "pads", []int{1, 1, 1, 1}, "strides", []int{2, 2})}},
		"Conv, groups":    with("Conv", maps, weight("w", rng, 6, 2, 3, 2), "group", 2, "pads", []int{1, 0, 0, 1}, "strides", []int{2, 1}),
		"Conv, depthwise": with("Conv", maps, weight("w", rng, 4, 1, 3, 3), "group", 4, "auto_pad", "SAME_UPPER"),
		"BatchNormalization": {maps, []*tensor{weight("s", rng, 4), weight("b", rng, 4), weight("m", rng, 4), weight("v", rng, 4)},
			[]*node{of("BatchNormalization", "z", []string{"y", "s", "b", "m", "v"})}},
		"LayerNormalization": {rows, []*tensor{weight("s", rng, 4), weight("b", rng, 4)}, []*node{of("LayerNormalization", "z", []string{"y", "s", "b"})}},
		"Gemm":               {[]int{4}, []*tensor{weight("w", rng, 5, 4), weight("b", rng, 5)}, []*node{of("Gemm", "z", []string{"y", "w", "b"}, "transB", 1)}},
		"Gemm, scaled":       {[]int{4}, []*tensor{weight("w", rng, 4, 5), weight("b", rng, 5)}, []*node{of("Gemm", "z", []string{"y", "w", "b"}, "alpha", 0.5, "beta", 2.0)}},
		"MatMul":             with("MatMul", rows, weight("w", rng, 4, 5)),
		"MatMul of two":      {rows, nil, []*node{of("Transpose", "t", y, "perm", []int{0, 2, 1}), of("MatMul", "z", []string{"y", "t"})}},
		"Relu":               one("Relu", maps),
		"LeakyRelu":          one("LeakyRelu", rows, "alpha", 0.2),
		"Gelu":               one("Gelu", rows),
		"Gelu, tanh":         one("Gelu", rows, "approximate", "tanh"),
		"Erf":                one("Erf", rows),
		"Sigmoid":            one("Sigmoid", maps),
		"Tanh":               one("Tanh", rows),
		"Abs":                one("Abs", rows),
		"Neg":                one("Neg", rows),
		"Clip":               one("Clip", rows, "min", -0.3, "max", 0.4),
		"Exp, Log, Sqrt":     {rows, nil, []*node{of("Exp", "e", y), of("Sqrt", "q", []string{"e"}), of("Log", "z", []string{"q"})}},
		"Pow":                {rows, []*tensor{number("k", 3)}, []*node{of("Pow", "z", []string{"y", "k"})}},
		"Add":                with("Add", maps, weight("w", rng, 4, 1, 1)),
		"Add of one number":  {rows, []*tensor{number("k", 3)}, []*node{of("Add", "z", []string{"k", "y"})}},
		"Sub":                with("Sub", rows, weight("w", rng, 4)),
		"Sub from a number":  {rows, []*tensor{number("k", 3)}, []*node{of("Sub", "z", []string{"k", "y"})}},
		"Mul":                with("Mul", rows, weight("w", rng, 3, 1)),
		"Mul by itself":      {rows, nil, []*node{of("Mul", "z", []string{"y", "y"})}},
		"Div":                with("Div", rows, weight("w", rng, 1, 3, 4)),
		"Div of a number":    {rows, []*tensor{number("k", 3)}, []*node{of("Exp", "e", y), of("Div", "z", []string{"k", "e"})}},
		"MaxPool":            one("MaxPool", maps, "kernel_shape", []int{2, 2}, "strides", []int{2, 2}),
		"MaxPool, any":       one("MaxPool", maps, "kernel_shape", []int{3, 2}, "strides", []int{2, 1}, "pads", []int{1, 0, 0, 1}, "ceil_mode", 1),
		"MaxPool, beyond":    one("MaxPool", maps, "kernel_shape", []int{7, 8}, "strides", []int{3, 4}, "ceil_mode", 1), // of all pixels, as torch and onnxruntime have it
		"AveragePool":        one("AveragePool", maps, "kernel_shape", []int{2, 3}, "strides", []int{2, 2}),
		"GlobalAveragePool":  one("GlobalAveragePool", maps),
		"ReduceMean":         one("ReduceMean", maps, "axes", []int{1, 3}),
		"Softmax":            one("Softmax", rows),
		"Softmax, axis 1":    one("Softmax", rows, "axis", 1),
		"Concat":             {maps, []*tensor{}, []*node{of("Tanh", "t", y), of("Concat", "z", []string{"y", "t", "y"}, "axis", 1)}},
		"Split":              {rows, nil, []*node{of("Split", "a b", y, "axis", 2), of("Mul", "z", []string{"a", "b"})}},
		"Slice":              one("Slice", rows, "starts", []int{-3}, "ends", []int{4}, "axes", []int{2}),
		"Gather":             with("Gather", rows, list("i", 2, 0, 2), "axis", 1),
		"Flatten":            one("Flatten", maps),
		"Reshape":            with("Reshape", rows, list("s", 0, 2, -1)),
		"Transpose":          one("Transpose", maps, "perm", []int{0, 3, 1, 2}),
		"Squeeze":            {rows, []*tensor{list("a", 1)}, []*node{of("Unsqueeze", "u", []string{"y", "a"}), of("Squeeze", "z", []string{"u", "a"})}},
		"Pad":                one("Pad", maps, "pads", []int{0, 0, 1, 2, 0, 1, 0, -1}),
		"Shape": {rows, []*tensor{list("i", 0), list("r", -1)}, []*node{of("Shape", "s", y), of("Gather", "n", []string{"s", "i"}), of("Cast", "c", []string{"n"}, "to", kindInt64),
			of("Concat", "to", []string{"c", "r"}, "axis", 0), of("Reshape", "z", []string{"y", "to"})}},
		"Identity": {rows, nil, []*node{of("CastLike", "l", []string{"y", "y"}), of("Identity", "i", []string{"l"}), of("Dropout", "z", []string{"i"}, "ratio", 0.0)}},
	}
	for op, attributes := range map[string][]any{"HardSwish": nil, "HardSigmoid": nil, "Elu": nil, "Selu": nil, "Celu": {"alpha", 0.5}, "Mish": nil, "Swish": nil, "Sin": nil, "Cos": nil,
		"Softplus": nil, "Softsign": nil, "ThresholdedRelu": {"alpha", 0.1}, "LogSoftmax": nil, "GlobalMaxPool": nil, "DepthToSpace": {"blocksize", 2},
		"SpaceToDepth": {"blocksize", 2}, "ReduceMax": {"axes", []int{2}}, "ReduceMin": {"axes", []int{2}}, "ReduceL1": {"axes", []int{1, 3}}, "ReduceL2": {"axes", []int{2}},
		"ReduceProd": {"axes", []int{3}}, "ReduceLogSumExp": {"axes", []int{1}}, "ReduceSumSquare": {"axes", []int{3}, "keepdims", 0}} {
		tests[op] = one(op, []int{4, 4, 6}, attributes...)
	}
	for _, op := range []string{"Max", "Min", "Sum", "Mean", "PRelu"} {
		tests[op] = with(op, rows, weight("w", rng, 4))
	}
	tests["Where"] = made{rows, []*tensor{weight("w", rng, 4), number("k", 0.6)}, []*node{of("Less", "l", []string{"w", "k"}), of("Where", "z", []string{"l", "y", "w"})}}
	tests["Expand"] = made{[]int{3, 1}, []*tensor{list("s", 3, 4)}, []*node{of("Expand", "z", []string{"y", "s"})}}
	tests["Tile"] = made{rows, []*tensor{list("s", 1, 2, 1)}, []*node{of("Tile", "z", []string{"y", "s"})}}
	tests["ReduceSum"] = made{rows, []*tensor{list("a", 1)}, []*node{of("ReduceSum", "z", []string{"y", "a"})}}
	tests["Reciprocal"] = made{rows, nil, []*node{of("Exp", "e", y), of("Reciprocal", "r", []string{"e"}), of("ReduceLogSum", "z", []string{"r"}, "axes", []int{1})}}
	tests["InstanceNormalization"] = made{maps, []*tensor{weight("s", rng, 4), weight("b", rng, 4)}, []*node{of("InstanceNormalization", "z", []string{"y", "s", "b"})}}
	tests["GroupNormalization"] = made{maps, []*tensor{weight("s", rng, 4), weight("b", rng, 4)}, []*node{of("GroupNormalization", "z", []string{"y", "s", "b"}, "num_groups", 2)}}
	tests["ConvTranspose"] = with("ConvTranspose", maps, weight("w", rng, 4, 3, 3, 2), "group", 2, "strides", []int{2, 1}, "pads", []int{1, 0, 0, 1})
	tests["Conv of one axis"] = with("Conv", []int{4, 5}, weight("w", rng, 6, 2, 3), "group", 2, "pads", []int{1, 0})
	tests["Resize"] = made{maps, []*tensor{{name: "s", shape: []int{4}, kind: kindFloat, floats: []float32{1, 1, 2, 1.5}}},
		[]*node{of("Resize", "r", []string{"y", "", "s"}, "mode", "cubic"), of("Upsample", "z", []string{"r", "s"})}}
	tests["Einsum"] = made{rows, nil, []*node{of("Tanh", "t", y), of("Einsum", "z", []string{"y", "t"}, "equation", "bij,bkj->bik")}}
	for _, op := range []string{"LSTM", "GRU", "RNN"} {
		gates := map[string]int{"LSTM": 4, "GRU": 3, "RNN": 1}[op]
		tests[op] = made{rows, []*tensor{weight("w", rng, 2, 2*gates, 4), weight("r", rng, 2, 2*gates, 2), weight("b", rng, 2, 4*gates)},
			[]*node{of("Transpose", "t", y, "perm", []int{1, 0, 2}), of(op, "u", []string{"t", "w", "r", "b"}, "direction", "bidirectional"), of("Transpose", "z", []string{"u"}, "perm", []int{2, 0, 1, 3})}}
	}
	seen := map[string]bool{"Dropout": true} // its noise is tested in package nn
	for _, op := range []string{"And", "Or", "Xor", "Not", "Equal", "Greater", "GreaterOrEqual", "LessOrEqual", "Sign", "Floor", "Ceil", "Round", "Range", "Size", "ConstantOfShape",
		"ml.Scaler", "ml.Normalizer", "ml.LinearClassifier", "ml.LinearRegressor"} {
		seen[op] = true // no slope, or made of others
	}
	for name, m := range tests {
		t.Run(name, func(t *testing.T) {
			const n, in = 2, 3
			rng := rand.New(rand.NewPCG(5, 6)) // of its own, as a map has no order: with few numbers all could be clipped
			width := product(m.shape)
			first := []*node{of("MatMul", "flat", []string{"x", "first"}), of("Reshape", "y", []string{"flat", "shape"})}
			begin := &tensor{name: "first", shape: []int{in, width}, kind: kindFloat, learned: true}
			for range in * width {
				begin.floats = append(begin.floats, float32(rng.NormFloat64()))
			}
			weights := append(m.weights, begin, list("shape", append([]int{-1}, m.shape...)...))
			f, err := small(17, []int{in}, weights, append(first, m.nodes...)...)
			require.NoError(t, err)
			net, err := nn.New([]int{in}, Define[float64](f), rng)
			require.NoError(t, err)
			check(t, net, n)
		})
		for _, n := range m.nodes {
			seen[n.op] = true
		}
	}
	for _, op := range Operators() {
		if !seen[op] {
			t.Errorf("the gradient of %s is not checked", op)
		}
	}
}

// check compares the gradients of a squared error with differences.
func check(t *testing.T, net *nn.Net[float64], n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	g, err := net.Graph(n, true)
	require.NoError(t, err)
	x, target := make([]float64, n*product(net.Example())), make([]float64, g.Output.Shape().TotalSize())
	for _, v := range [][]float64{x, target} {
		for i := range v {
			v[i] = rng.NormFloat64()
		}
	}
	_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
	require.NoError(t, err)
	loss := func() float64 {
		require.NoError(t, g.Run(x))
		return g.Loss()
	}
	top := 0.0
	for _, p := range net.Params().Trainable() {
		loss()
		for _, d := range p.Grad {
			top = max(top, math.Abs(d))
		}
		assert.NoError(t, difference.Check(p.Name, p.Value, p.Grad, 40, 1e-5, loss))
	}
	if top == 0 {
		t.Error("all gradients are zero: this checks nothing")
	}
}

// TestRefusals: what is not understood is named with its node.
func TestRefusals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := []string{"x"}
	for want, c := range map[string]struct {
		shape   []int
		weights []*tensor
		nodes   []*node
	}{
		"node the Loop has the operator Loop, which is not understood; Abs, Add, ": {[]int{3}, nil, []*node{of("Loop", "z", x)}},
		`node the Add reads "q", which nothing before it makes`:                    {[]int{3}, nil, []*node{of("Add", "z", []string{"x", "q"})}},
		`node the Add reads "q" before the node that makes it: nodes have to stand in the order`: {[]int{3}, nil,
			[]*node{of("Add", "z", []string{"x", "q"}), of("Relu", "q", x)}},
		"onnx node the Conv (Conv): ": {[]int{3, 8, 8}, []*tensor{weight("w", rng, 2, 3, 3)}, []*node{of("Conv", "z", []string{"x", "w"})}},
		"onnx node the Reshape (Reshape): an array of shape [2 3] as [1 3]; where the first axis is the batch, export with a free one": {
			[]int{3}, []*tensor{list("s", 1, 3)}, []*node{of("Reshape", "z", []string{"x", "s"})}},
		"onnx node the Add (Add): arrays of shapes [2 3] and [4]": {[]int{3}, []*tensor{weight("w", rng, 4)}, []*node{of("Add", "z", []string{"x", "w"})}},
		"a variance of 0 without an epsilon": {[]int{1}, []*tensor{{name: "s", shape: []int{1}, kind: kindFloat, floats: []float32{1}}, {name: "b", shape: []int{1}, kind: kindFloat, floats: []float32{1}}, {name: "m", shape: []int{1}, kind: kindFloat, floats: []float32{1}}, {name: "v", shape: []int{1}, kind: kindFloat, floats: []float32{0}}},
			[]*node{of("BatchNormalization", "z", []string{"x", "s", "b", "m", "v"}, "epsilon", 0.0)}},
		"onnx node the Upsample (Upsample): a scale of 0.5, want at least 1": {[]int{4}, []*tensor{{name: "s", shape: []int{2}, kind: kindFloat, floats: []float32{1, .5}}}, []*node{of("Upsample", "z", []string{"x", "s"})}},
		"onnx node the Softmax (Softmax): ":                                  {[]int{3}, nil, []*node{of("Softmax", "z", x, "axis", 2)}},
	} {
		f, err := small(17, c.shape, c.weights, c.nodes...)
		if err == nil {
			_, err = nn.New(c.shape, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node { return Define[float64](f)(b, x) }, rng)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, data := range []string{"", "no protobuf", fmt.Sprintf("%c%c", 8, 7)} {
		if _, err := Parse([]byte(data)); err == nil {
			t.Errorf("%q was read", data)
		}
	}
}

// FuzzParse: any bytes are read or refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte{8, 7})
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Parse(data) })
}
