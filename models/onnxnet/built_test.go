package onnxnet

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

type (
	build = nn.Builder[float32]
	gnode = *gorgonia.Node
)

// features averages maps over their pixels, for a head.
func features(b *build, x gnode) gnode { return b.Linear("head", b.GlobalAvgPool("mean", x), 3) }

// built are networks of every layer of package nn that has a form in ONNX: of images with 2
// channels of 7×6 pixels, or of 12 features.
var built = map[string]struct {
	example []int
	define  func(b *build, x gnode) gnode
}{
	"conv, norm, residual": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		x = b.BatchNorm("bn1", b.Conv("conv1", b.Images("in", x, 2), nn.Conv{Out: 4, Kernel: 3, Pad: 1}), nn.BatchNorm{ReLU: true})
		y := b.Conv("conv2", x, nn.Conv{Out: 4, Kernel: 3, Pad: 1})
		y = b.BatchNorm("bn2", y, nn.BatchNorm{ReLU: true, Residual: b.Skip("skip", x, y)})
		return features(b, b.MaxPool("pool", y, 3, 2, 1))
	}},
	"groups and windows": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		x = b.GroupConv("g1", b.Images("in", x, 2), nn.GroupConv{Window: nn.Window{Kernel: [2]int{3, 2}, Stride: [2]int{1, 2}, Pad: [4]int{1, 0, 2, 1}}, Out: 4, Groups: 2})
		x = b.ReLU("r", b.Bias("g1", x))
		x = b.GroupConv("g2", x, nn.GroupConv{Window: nn.Window{Kernel: [2]int{2, 2}, Dilation: [2]int{2, 1}, Ceil: true}, Out: 4, Groups: 4})
		return features(b, x)
	}},
	"window pools": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		x = b.Images("in", x, 2)
		m := b.WindowMax("max", x, nn.Window{Kernel: [2]int{3, 2}, Stride: [2]int{2, 2}, Ceil: true})
		p := b.WindowAverage("padded", x, nn.Window{Kernel: [2]int{3, 2}, Stride: [2]int{2, 2}, Pad: [4]int{1, 0, 1, 1}}, true)
		u := b.WindowAverage("inside", x, nn.Window{Kernel: [2]int{2, 3}, Stride: [2]int{2, 2}, Pad: [4]int{0, 1, 1, 1}, Ceil: true}, false)
		return b.Average("all", features(b, m), b.Linear("two", b.GlobalAvgPool("p", p), 3), b.Linear("three", b.GlobalAvgPool("u", u), 3))
	}},
	"windows beyond maps": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		w := nn.Window{Kernel: [2]int{9, 7}, Stride: [2]int{3, 2}, Ceil: true}
		x = b.Images("in", x, 2)
		return b.Average("both", features(b, b.WindowMax("max", x, w)), b.Linear("two", b.GlobalAvgPool("p", b.WindowAverage("inside", x, w, false)), 3))
	}},
	"windows with gaps": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		return features(b, b.WindowAverage("gaps", b.Images("in", x, 2), nn.Window{Kernel: [2]int{2, 2}, Dilation: [2]int{3, 2}}, false))
	}},
	"softmax of maps": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		x = b.Conv("conv", b.Images("in", x, 2), nn.Conv{Out: 5, Kernel: 3})
		x = b.Combine("gate", nn.Mul, x, b.Attention("channels", x))
		return features(b, b.Conv("conv2", b.Standardise("rows", x, 1e-5), nn.Conv{Out: 4, Kernel: 2}))
	}},
	"maps as an array": {[]int{2, 7, 6}, func(b *build, x gnode) gnode {
		x = b.Conv("conv", b.Images("in", x, 2), nn.Conv{Out: 3, Kernel: 3}) // 5×4 pixels
		s := x.Shape()
		x = b.Reduce("columns", nn.ReduceMax, x, 0)
		return b.Linear("head", b.Reshape("flat", b.Reduce("rows", nn.ReduceMean, x, 0), s[2], s[3]), 2)
	}},
	"an array as images": {[]int{12}, func(b *build, x gnode) gnode {
		return features(b, b.Conv("conv", b.Images("in", b.Reshape("pixels", b.Linear("l", x, 12), b.Batch, 2, 2, 3), 2), nn.Conv{Out: 4, Kernel: 2}))
	}},
	"softmax": {[]int{12}, func(b *build, x gnode) gnode {
		return b.Softmax("soft", b.Linear("l", x, 4))
	}},
	"log softmax": {[]int{12}, func(b *build, x gnode) gnode {
		return b.LogSoftmax("soft", b.ReLU("r", b.Linear("l", x, 4)))
	}},
	"attention": {[]int{12}, func(b *build, x gnode) gnode {
		q := b.Reshape("q", b.Linear("query", x, 12), b.Batch, 3, 4)
		k := b.Reshape("k", b.Linear("key", x, 12), b.Batch, 4, 3)
		v := b.Reshape("v", b.Linear("value", x, 12), b.Batch, 3, 4)
		y := b.MatMul("out", b.Attention("weights", b.MatMul("scores", q, k)), v)
		y = b.BatchNorm("bn", b.Bias("shift", b.Standardise("ln", y, 1e-5)), nn.BatchNorm{})
		return b.Linear("head", b.Reshape("flat", y, b.Batch, 12), 2)
	}},
	"norm of arrays of four and five axes": {[]int{12}, func(b *build, x gnode) gnode {
		y := b.BatchNorm("bn4", b.Reshape("four", x, b.Batch, 2, 2, 3), nn.BatchNorm{})
		z := b.BatchNorm("bn5", b.Reshape("five", b.Linear("more", x, 24), b.Batch, 2, 3, 2, 2), nn.BatchNorm{ReLU: true})
		return b.Average("both", b.Linear("a", b.Reshape("fours", y, b.Batch, 12), 2), b.Linear("b", b.Reshape("fives", z, b.Batch, 24), 2))
	}},
	"arithmetic": {[]int{12}, func(b *build, x gnode) gnode {
		u, v := b.Linear("u", x, 5), b.Linear("v", x, 5)
		sum, product := b.Combine("sum", nn.Add, u, v), b.Combine("product", nn.Mul, u, v)
		square := b.Combine("square", nn.Mul, u, u)
		below := b.Combine("below", nn.Add, square, b.Combine("more", nn.Mul, v, v))
		ratio := b.Combine("ratio", nn.Div, product, b.Combine("safe", nn.Add, below, b.Combine("one", nn.Div, below, below)))
		return b.Select("choice", b.ReLU("positive", u), b.Combine("difference", nn.Sub, ratio, v), sum)
	}},
	"reductions": {[]int{12}, func(b *build, x gnode) gnode {
		x = b.Reshape("grid", b.Linear("l", x, 12), b.Batch, 3, 4)
		var all []gnode
		for _, f := range []nn.Reduction{nn.ReduceSum, nn.ReduceMean, nn.ReduceMax, nn.ReduceMin, nn.ReduceProduct, nn.ReduceLogSumExp, nn.ReduceL1, nn.ReduceL2} {
			all = append(all, b.Reduce(string(f), f, x, 1))
		}
		return b.Average("mean", all...)
	}},
	"parameters and constants": {[]int{12}, func(b *build, x gnode) gnode {
		b.Given(map[string]nn.Tensor[float32]{"table": {Name: "table", Shape: []int{12, 3}, Data: []float32{
			.1, .2, .3, -.4, .5, .6, .7, -.8, .9, 1, 1.1, -1.2, .1, .2, .3, -.4, .5, .6, .7, -.8, .9, 1, 1.1, -1.2, .1, .2, .3, -.4, .5, .6, .7, -.8, .9, 1, 1.1, -1.2}}})
		table := b.Parameter("table", 12, 3)
		rows := b.Rows("rows", table, b.Constant("places", []float32{0, 4, -1, 7, 2, 2, 9, -3, 5, 6, 8, 10}, 12))
		return b.MatMul("product", x, rows)
	}},
}

// TestBuilt: networks of the layers of package nn, written, have their values.
func TestBuilt(t *testing.T) {
	for name, c := range built {
		t.Run(name+".onnx", func(t *testing.T) {
			define := func(b *build, x gnode) gnode { return c.define(b, x) }
			net, err := nn.New(c.example, define, rand.New(rand.NewPCG(1, 1)))
			require.NoError(t, err)
			for _, p := range net.Params().All() {
				for i := range p.Value {
					p.Value[i] += float32((5*i)%7) / 16
				}
			}
			net.State().Temperature = .75
			x := make([]float32, 3*product(net.Example()))
			for i := range x {
				x[i] = float32((7*i)%11-5) / 4
			}
			rewritten(t, net, define, x)
		})
	}
}
