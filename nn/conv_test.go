package nn

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn/kernel"
)

var convCases = []struct {
	c           Conv
	h, w, n, in int
}{
	{Conv{Out: 5, Kernel: 3, Pad: 1}, 5, 4, 3, 4},
	{Conv{Out: 4, Kernel: 3, Stride: 2, Pad: 1}, 6, 5, 2, 3},
	{Conv{Out: 6, Kernel: 1, Stride: 2}, 4, 4, 3, 5},
	{Conv{Out: 3, Kernel: 7, Stride: 2, Pad: 3}, 8, 8, 2, 1},
	{Conv{Out: 4, Kernel: 3, Pad: 1}, 1, 1, 4, 6},
	{Conv{Out: 4, Kernel: 3, Stride: 2, Pad: 1}, 2, 2, 3, 5},
}

func TestConvGradient(t *testing.T) {
	for _, c := range convCases {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			newFixture(t, c.n, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
				return b.Conv("c", leaf(b, "x", c.h, c.w, c.n, c.in), c.c)
			}).checkGradients(t, 60, 1e-7)
		})
	}
}

// TestConvAgainstGorgonia compares output and both gradients with gorgonia's
// own Conv2d, which works in N×C×H×W. The gradient of the squared error by the
// output is 2/N·(y - target), so that is what weights the stock output.
func TestConvAgainstGorgonia(t *testing.T) {
	for _, c := range convCases {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			f := newFixture(t, c.n, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
				return b.Conv("c", leaf(b, "x", c.h, c.w, c.n, c.in), c.c)
			})
			px, pw := f.net.Params().Get("x"), f.net.Params().Get("c.weight")
			f.loss(t)
			out := f.g.Output.Shape()
			pixels := out[0] * out[1]
			y := make([]float64, size(out))
			kernel.HWNCToNCHW(y, f.g.Result(), c.n, c.c.Out, pixels)

			x, w := make([]float64, len(px.Value)), make([]float64, len(pw.Value))
			kernel.HWNCToNCHW(x, px.Value, c.n, c.in, c.h*c.w)
			pw.ExportOrder(w, pw.Value)
			stride := max(1, c.c.Stride)
			want, grads := stock(t, []*tensor.Dense{
				tensor.New(tensor.WithShape(c.n, c.in, c.h, c.w), tensor.WithBacking(x)),
				tensor.New(tensor.WithShape(pw.Shape...), tensor.WithBacking(w)),
			}, func(out []float64) []float64 {
				to := make([]float64, len(out))
				kernel.HWNCToNCHW(to, f.target, c.n, c.c.Out, pixels)
				for i := range to {
					to[i] = 2 / float64(c.n) * (out[i] - to[i])
				}
				return to
			}, func(g *gorgonia.ExprGraph, in gorgonia.Nodes) *gorgonia.Node {
				return gorgonia.Must(gorgonia.Conv2d(in[0], in[1], tensor.Shape{c.c.Kernel, c.c.Kernel},
					[]int{c.c.Pad, c.c.Pad}, []int{stride, stride}, []int{1, 1}))
			})
			near(t, "output", y, want, 1e-12)
			dx, dw := make([]float64, len(x)), make([]float64, len(w))
			kernel.HWNCToNCHW(dx, px.Grad, c.n, c.in, c.h*c.w)
			pw.ExportOrder(dw, pw.Grad)
			near(t, "dx", dx, grads[0], 1e-11)
			near(t, "dw", dw, grads[1], 1e-11)
		})
	}
}

func TestConvLiveRanges(t *testing.T) {
	net, err := New([]int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Conv("c", leaf(b, "x", 1, 1, 2, 3), Conv{Out: 5, Kernel: 3, Pad: 1})
	}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	p := net.Params().Get("c.weight")
	if want := (Range{4 * 15, 5 * 15}); len(p.Live) != 1 || p.Live[0] != want {
		t.Errorf("live ranges of a 3×3 kernel on a 1×1 map are %v, want %v alone", p.Live, want)
	}
	if p.LiveLen() != 15 {
		t.Errorf("LiveLen = %d, want 15", p.LiveLen())
	}
}

func TestConvRefusesBadShapes(t *testing.T) {
	for name, c := range map[string]Conv{
		"larger": {Out: 2, Kernel: 5},
		"no out": {Kernel: 1},
	} {
		_, err := New([]int{3, 3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Conv("bad", b.Images("i", x, 1), c)
		}, rand.New(rand.NewPCG(1, 2)))
		if err == nil || !strings.Contains(err.Error(), "bad") {
			t.Errorf("%s: error %v does not name the layer", name, err)
		}
	}
}
