package nn

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// stockGraph is a training graph whose output is x, with random parameters.
func stockGraph(t *testing.T, shape ...int) (*Net[float64], *Graph[float64]) {
	t.Helper()
	net, err := NewWhole([]int{1}, 1, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Reshape("row", leaf(b, "x", shape...), 1, size(shape))
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(1, true)
	require.NoError(t, err)
	return net, g
}

// TestStockRefused: operations of gorgonia that are wrong are refused before anything is
// computed, with the name of the right one.
func TestStockRefused(t *testing.T) {
	node := func(n *gorgonia.Node, err error) *gorgonia.Node {
		require.NoError(t, err)
		return n
	}
	one := tensor.Shape{1, 1}
	for name, c := range map[string]struct {
		use   string
		shape []int
		f     func(x *gorgonia.Node) *gorgonia.Node
	}{
		"AveragePool1D": {"WindowAverage", []int{1, 1, 1, 4}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.AveragePool1D(x, 2, 0, 2)) }},
		"AveragePool2D": {"WindowAverage", []int{1, 1, 4, 4}, func(x *gorgonia.Node) *gorgonia.Node {
			return node(gorgonia.AveragePool2D(x, tensor.Shape{2, 2}, []int{0, 0}, []int{2, 2}))
		}},
		"GlobalAveragePool2D": {"GlobalAvgPool", []int{1, 1, 4, 4}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.GlobalAveragePool2D(x)) }},
		"MaxPool2D": {"WindowMax", []int{1, 1, 4, 4}, func(x *gorgonia.Node) *gorgonia.Node {
			return node(gorgonia.MaxPool2D(x, tensor.Shape{2, 2}, []int{1, 0, 1, 0}, []int{2, 2}))
		}},
		"Conv2d": {"GroupConv", []int{1, 1, 4, 4}, func(x *gorgonia.Node) *gorgonia.Node {
			w := gorgonia.NewTensor(x.Graph(), tensor.Float64, 4, gorgonia.WithShape(1, 1, 1, 1), gorgonia.WithName("w"), gorgonia.WithInit(gorgonia.Ones()))
			return node(gorgonia.Conv2d(x, w, one, []int{0, 0}, []int{1, 1}, []int{2, 2}))
		}},
		"SoftMax":    {"LogSoftmax", []int{2, 2}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.SoftMax(x)) }},
		"LogSoftMax": {"LogSoftmax", []int{2, 2}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.LogSoftMax(x)) }},
		"Dropout":    {"Builder.Dropout", []int{2, 2}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.Dropout(x, 0.5)) }},
		"BatchNorm": {"Builder.BatchNorm", []int{2, 1, 2, 2}, func(x *gorgonia.Node) *gorgonia.Node {
			y, _, _, _, err := gorgonia.BatchNorm(x, nil, nil, 0.9, 1e-5)
			return node(y, err)
		}},
		"ByIndices": {"Gather", []int{3, 2}, func(x *gorgonia.Node) *gorgonia.Node {
			return node(gorgonia.ByIndices(x, gorgonia.NewConstant(tensor.New(tensor.WithBacking([]int{2, 0}))), 0))
		}},
		"At":         {"Gather", []int{3, 2}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.At(x, 1, 1)) }},
		"steps":      {"Gather", []int{7}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.Slice(x, gorgonia.S(0, 7, 2))) }},
		"OuterProd":  {"MatMul", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.OuterProd(x, node(gorgonia.Sin(x)))) }},
		"Log2":       {"log 2", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.Log2(x)) }},
		"InvSqrt":    {"Inverse of Sqrt", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.InverseSqrt(x)) }},
		"LogSumExp":  {"ReduceLogSumExp", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.LogSumExp(x, 0)) }},
		"Norm":       {"ReduceL1", []int{3, 2}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.Norm(x, 1, 1)) }},
		"Rectify":    {"ReLU", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.Rectify(x)) }},
		"LeakyRelu":  {"Map", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.LeakyRelu(x, 0.1)) }},
		"BinaryXent": {"BinaryCrossEntropy", []int{3}, func(x *gorgonia.Node) *gorgonia.Node { return node(gorgonia.BinaryXent(node(gorgonia.Sigmoid(x)), x)) }},
		"of a node": {"BinaryCrossEntropy", []int{3}, func(x *gorgonia.Node) *gorgonia.Node {
			target := gorgonia.NewVector(x.Graph(), tensor.Float64, gorgonia.WithShape(3), gorgonia.WithName("t"), gorgonia.WithInit(gorgonia.Ones()))
			return node(gorgonia.BinaryXent(x, target))
		}},
		"constant": {"Builder.Constant", []int{20}, func(x *gorgonia.Node) *gorgonia.Node {
			return node(gorgonia.Add(x, gorgonia.NewConstant(tensor.New(tensor.WithBacking(make([]float64, 20))))))
		}},
		"no name": {"WithName", []int{3}, func(x *gorgonia.Node) *gorgonia.Node {
			return node(gorgonia.Add(x, gorgonia.NewVector(x.Graph(), tensor.Float64, gorgonia.WithShape(3), gorgonia.WithInit(gorgonia.Ones()))))
		}},
		"Grad": {"leave gorgonia.Grad out", []int{3}, func(x *gorgonia.Node) *gorgonia.Node {
			leaf := x.Graph().ByName("x")[0]
			y := node(gorgonia.Sum(node(gorgonia.Square(x))))
			_, err := gorgonia.Grad(y, leaf)
			require.NoError(t, err)
			return y
		}},
		"gradient": {"Builder.Reduce", []int{2, 3, 2, 2}, func(x *gorgonia.Node) *gorgonia.Node {
			wide := gorgonia.NewTensor(x.Graph(), tensor.Float64, 4, gorgonia.WithShape(2, 3, 5, 2), gorgonia.WithName("wide"), gorgonia.WithInit(gorgonia.Ones()))
			row := node(gorgonia.Reshape(node(gorgonia.Slice(x, nil, nil, gorgonia.S(0))), tensor.Shape{2, 3, 1, 2}))
			return node(gorgonia.BroadcastHadamardProd(row, wide, []byte{2}, nil))
		}},
	} {
		_, g := stockGraph(t, c.shape...)
		y := c.f(g.Builder().Reshape("x", g.Output, c.shape...))
		if len(y.Shape()) > 0 {
			y = node(gorgonia.Sum(y))
		}
		_, err := g.Compile(y)
		assert.ErrorContains(t, err, c.use, name)
	}
}

// TestStock: what is not refused of gorgonia's own operations has the right gradient in a loss
// over the output of a layer, and leaves the layer's output as it was.
func TestStock(t *testing.T) {
	type unary = func(*gorgonia.Node) (*gorgonia.Node, error)
	list := map[string]unary{
		"abs": gorgonia.Abs, "sin": gorgonia.Sin, "cos": gorgonia.Cos, "exp": gorgonia.Exp, "tanh": gorgonia.Tanh, "sigmoid": gorgonia.Sigmoid,
		"softplus": gorgonia.Softplus, "cube": gorgonia.Cube, "neg": gorgonia.Neg, "inverse": gorgonia.Inverse, "square": gorgonia.Square, "expm1": gorgonia.Expm1,
		"transpose": func(x *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Transpose(x) },
		"columns":   func(x *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Slice(x, nil, gorgonia.S(1, 3)) },
		"max":       func(x *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Max(x, 1) },
		"mean":      func(x *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Mean(x, 0) },
		"norm":      func(x *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Norm(x, 1, 2) },
		"concat":    func(x *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Concat(0, x, x) },
	}
	for name, f := range map[string]func(a, b *gorgonia.Node) (*gorgonia.Node, error){
		"add": gorgonia.Add, "sub": gorgonia.Sub, "mul": gorgonia.HadamardProd, "div": gorgonia.HadamardDiv,
	} {
		target := tensor.New(tensor.WithShape(3, 4), tensor.WithBacking(slices.Repeat([]float64{0.7, -1.5}, 6)))
		list[name] = func(x *gorgonia.Node) (*gorgonia.Node, error) {
			return f(x, gorgonia.NewMatrix(x.Graph(), tensor.Float64, gorgonia.WithShape(3, 4), gorgonia.WithName("target"), gorgonia.WithValue(target)))
		}
	}
	for name, f := range list {
		for i, last := range []unary{func(x *gorgonia.Node) (*gorgonia.Node, error) { return x, nil }, gorgonia.Square, gorgonia.Cube, gorgonia.Tanh} {
			net, err := NewWhole([]int{2}, 3, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Linear("fc", x, 4) }, rand.New(rand.NewPCG(1, 2)))
			require.NoError(t, err)
			g, err := net.Graph(3, true)
			require.NoError(t, err)
			loss := gorgonia.Must(gorgonia.Mean(gorgonia.Must(last(gorgonia.Must(f(g.Output))))))
			weight := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(g.Nodes()[0]))))
			_, err = g.Compile(gorgonia.Must(gorgonia.Add(loss, weight)))
			require.NoError(t, err, name)
			x := []float64{1, 2, -0.5, 0.3, 0.8, -2}
			assert.NoError(t, CheckGradient(g, x), "%s, %d", name, i)
			want, err := net.Forward(x, 3)
			require.NoError(t, err)
			before := slices.Clone(net.Params().Get("fc.weight").Value)
			require.NoError(t, g.Run(x))
			assert.Equal(t, want, g.Result(), "%s, %d", name, i)
			assert.Equal(t, want, g.Output.Value().Data(), "%s, %d", name, i)
			assert.Equal(t, before, net.Params().Get("fc.weight").Value, "%s, %d", name, i)
		}
	}
}

// TestStockReductions: of all sums and maxima over some axes of up to six, the wrong ones and
// no others are refused.
func TestStockReductions(t *testing.T) {
	for _, shape := range [][]int{{3, 4}, {2, 3, 4}, {2, 3, 4, 5}, {3, 2, 2, 3, 2}, {2, 3, 2, 2, 3, 2}} {
		for mask := 1; mask < 1<<len(shape); mask++ {
			var axes []int
			for rest := uint(mask); rest != 0; rest &= rest - 1 {
				axes = append(axes, bits.TrailingZeros(rest))
			}
			_, g := stockGraph(t, shape...)
			x := g.Builder().Reshape("x", g.Output, shape...)
			sum := gorgonia.Must(gorgonia.Sum(x, axes...))
			want := g.Builder().Reduce("r", ReduceSum, x, axes...)
			refused := checkStock(g.ExprGraph()) != nil
			g.vm, g.ours = NewMachine(g.ExprGraph()), new(buffers[float64])
			require.NoError(t, g.Run([]float64{0}))
			right := true
			for i, v := range values[float64](want.Value()) {
				right = right && math.Abs(v-values[float64](sum.Value())[i]) < 1e-9
			}
			assert.Equal(t, right, !refused, fmt.Sprint(shape, axes))
		}
	}
}
