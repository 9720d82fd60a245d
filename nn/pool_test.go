package nn

import (
	"math/rand/v2"
	"testing"

	"gorgonia.org/gorgonia"
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
