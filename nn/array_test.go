package nn

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestArrayGradients: every layer on arrays and windows by finite differences.
func TestArrayGradients(t *testing.T) {
	type build = func(b *Builder[float64]) *gorgonia.Node
	sigmoid := Scalar{"sigmoid", func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, func(_, y float64) float64 { return y * (1 - y) }}
	// rows gives the output N as its last axis but one.
	rows := func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Reshape("rows", x, 2, x.Shape().TotalSize()/2)
	}
	images := func(b *Builder[float64]) *gorgonia.Node { return leaf(b, "x", 5, 6, 2, 4) }
	tests := map[string]build{
		"parameter": func(b *Builder[float64]) *gorgonia.Node { return b.Parameter("x", 2, 3) },
		"map":       func(b *Builder[float64]) *gorgonia.Node { return b.Map("f", leaf(b, "x", 2, 3), sigmoid) },
		"square":    func(b *Builder[float64]) *gorgonia.Node { x := leaf(b, "x", 2, 3); return b.Combine("c", Mul, x, x) },
		"matmul": func(b *Builder[float64]) *gorgonia.Node {
			return b.MatMul("m", leaf(b, "x", 3, 2, 4), leaf(b, "y", 3, 4, 5))
		},
		"gram":        func(b *Builder[float64]) *gorgonia.Node { x := leaf(b, "x", 2, 2); return b.MatMul("m", x, x) },
		"standardise": func(b *Builder[float64]) *gorgonia.Node { return b.Standardise("s", leaf(b, "x", 3, 2, 5), 1e-5) },
		"attention":   func(b *Builder[float64]) *gorgonia.Node { return b.Attention("a", leaf(b, "x", 3, 2, 5)) },
		"bias":        func(b *Builder[float64]) *gorgonia.Node { return b.Bias("b", leaf(b, "x", 3, 2, 5)) },
		"grouped": func(b *Builder[float64]) *gorgonia.Node {
			return b.GroupConv("g", images(b), GroupConv{Window: Window{Kernel: [2]int{3, 2}, Stride: [2]int{2, 1}, Pad: [4]int{1, 0, 0, 1}}, Out: 6, Groups: 2})
		},
		"depthwise": func(b *Builder[float64]) *gorgonia.Node {
			return b.GroupConv("g", images(b), GroupConv{Window: Window{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}}, Out: 4, Groups: 4})
		},
		"dilated": func(b *Builder[float64]) *gorgonia.Node {
			return b.GroupConv("g", images(b), GroupConv{Window: Window{Kernel: [2]int{2, 2}, Dilation: [2]int{2, 3}}, Out: 3})
		},
		"max": func(b *Builder[float64]) *gorgonia.Node {
			return b.WindowMax("p", images(b), Window{Kernel: [2]int{2, 3}, Stride: [2]int{2, 2}, Pad: [4]int{0, 1, 0, 1}, Ceil: true})
		},
		"average": func(b *Builder[float64]) *gorgonia.Node {
			return b.WindowAverage("p", images(b), Window{Kernel: [2]int{2, 3}, Stride: [2]int{2, 2}, Pad: [4]int{0, 1, 0, 1}, Ceil: true}, false)
		},
		"padded average": func(b *Builder[float64]) *gorgonia.Node {
			return b.WindowAverage("p", images(b), Window{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}}, true)
		},
	}
	for _, f := range []Binary{Add, Sub, Mul, Div} {
		tests[string(f)] = func(b *Builder[float64]) *gorgonia.Node {
			// A divisor stays away from 0.
			y := b.Map("y", leaf(b, "y", 2, 3), Scalar{"exp", math.Exp, func(_, y float64) float64 { return y }})
			return b.Combine("c", f, leaf(b, "x", 2, 3), y)
		}
	}
	for name, def := range tests {
		t.Run(name, func(t *testing.T) {
			newFixture(t, 2, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node { return rows(b, def(b)) }).checkGradients(t, 60, 1e-5)
		})
	}
}

// TestGroupConvIsConv: of one group and square windows it is Conv, and of several groups
// as many of them.
func TestGroupConvIsConv(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const side, channels, out, groups = 6, 4, 6, 2
	net := func(define func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node) *Net[float64] {
		n, err := New([]int{channels, side, side}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return define(b, b.Images("in", x, channels))
		}, rng)
		require.NoError(t, err)
		return n
	}
	whole := net(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Conv("c", x, Conv{Out: out, Kernel: 3, Stride: 2, Pad: 1})
	})
	grouped := net(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.GroupConv("c", x, GroupConv{Window: Window{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}}, Out: out, Groups: groups})
	})
	// The weights of the other groups are zero in Conv.
	w := grouped.Params().Get("c.weight")
	export := make([]float64, out*channels*9)
	for o := range out {
		for i := range channels / groups {
			copy(export[(o*channels+o/(out/groups)*(channels/groups)+i)*9:][:9], w.Value[(o*channels/groups+i)*9:][:9])
		}
	}
	p := whole.Params().Get("c.weight")
	p.StorageOrder(p.Value, export)
	x := make([]float64, 2*channels*side*side)
	normal[float64](1)(x, rng)
	want, err := whole.Forward(x, 2)
	require.NoError(t, err)
	got, err := grouped.Forward(x, 2)
	require.NoError(t, err)
	near(t, "outputs", got, want, 1e-12)
}

// TestGiven: parameters begin with given values and names.
func TestGiven(t *testing.T) {
	define := func(shape ...int) Definition[float64] {
		return func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			b.Given(map[string]Tensor[float64]{"l.weight": {Name: "onnx::7", Shape: shape, Data: []float64{1, 2, 3, 4, 5, 6}}})
			return b.Linear("l", x, 3)
		}
	}
	net, err := New([]int{2}, define(3, 2), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	p := net.Params().Get("onnx::7")
	if p == nil || net.Params().Get("l.weight") != nil || p.Value[1] != 3 { // storage is [in][out]
		t.Fatal(p)
	}
	if _, err := New([]int{2}, define(2, 3), rand.New(rand.NewPCG(1, 1))); err == nil || !strings.Contains(err.Error(), "onnx::7: 6 numbers of shape [2 3], want shape [3 2]") {
		t.Error(err)
	}
}
