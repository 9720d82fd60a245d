package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
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

func TestConvLiveRanges(t *testing.T) {
	net, err := New([]int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Conv("c", leaf(b, "x", 1, 1, 2, 3), Conv{Out: 5, Kernel: 3, Pad: 1})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	p := net.Params().Get("c.weight")
	if want := (Range{Lo: 4 * 15, Hi: 5 * 15}); len(p.Live) != 1 || p.Live[0] != want {
		t.Errorf("live ranges of a 3×3 kernel on a 1×1 map are %v, want %v alone", p.Live, want)
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
		assert.ErrorContainsf(t, err, "bad", "%s", name)
	}
}
