package nn

import (
	"math/rand/v2"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn/kernel"
)

func TestPoolGradient(t *testing.T) {
	for name, pool := range map[string]func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node{
		"max 3/2/1": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.MaxPool("p", x, 3, 2, 1) },
		"max 2/2/0": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.MaxPool("p", x, 2, 2, 0) },
		"average":   func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.GlobalAvgPool("p", x) },
	} {
		t.Run(name, func(t *testing.T) {
			newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
				return pool(b, leaf(b, "x", 5, 6, 3, 2))
			}).checkGradients(t, 180, 1e-7)
		})
	}
}

func TestMaxPoolAgainstGorgonia(t *testing.T) {
	const h, w, n, c = 6, 6, 2, 3
	f := newFixture(t, n, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.MaxPool("p", leaf(b, "x", h, w, n, c), 3, 2, 1)
	})
	f.loss(t)
	px := f.net.Params().Get("x")
	x, y, target := make([]float64, h*w*n*c), make([]float64, 3*3*n*c), make([]float64, 3*3*n*c)
	kernel.HWNCToNCHW(x, px.Value, n, c, h*w)
	kernel.HWNCToNCHW(y, f.g.Result(), n, c, 9)
	kernel.HWNCToNCHW(target, f.target, n, c, 9)
	want, grads := stock(t, []*tensor.Dense{tensor.New(tensor.WithShape(n, c, h, w), tensor.WithBacking(x))},
		func(out []float64) []float64 {
			for i := range target {
				target[i] = 2. / n * (out[i] - target[i])
			}
			return target
		}, func(_ *gorgonia.ExprGraph, in gorgonia.Nodes) *gorgonia.Node {
			return gorgonia.Must(gorgonia.MaxPool2D(in[0], tensor.Shape{3, 3}, []int{1, 1}, []int{2, 2}))
		})
	near(t, "output", y, want, 0)
	dx := make([]float64, len(x))
	kernel.HWNCToNCHW(dx, px.Grad, n, c, h*w)
	near(t, "dx", dx, grads[0], 1e-12)
}

func TestPoolRefusesBadShapes(t *testing.T) {
	for name, def := range map[string]Definition[float64]{
		"pad": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.MaxPool("p", b.Images("i", x, 1), 3, 2, 2)
		},
		"rank":    func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.MaxPool("p", x, 3, 2, 1) },
		"average": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.GlobalAvgPool("p", x) },
	} {
		if _, err := New([]int{6, 6}, def, rand.New(rand.NewPCG(1, 2))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
