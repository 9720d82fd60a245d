package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func TestPoolGradient(t *testing.T) {
	for name, pool := range map[string]func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node{
		"max 3/2/1":  func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.MaxPool("p", x, 3, 2, 1) },
		"max 16/5/8": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.MaxPool("p", x, 16, 5, 8) },
		"max 2/2/0":  func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.MaxPool("p", x, 2, 2, 0) },
		"average":    func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.GlobalAvgPool("p", x) },
	} {
		t.Run(name, func(t *testing.T) {
			newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
				return pool(b, leaf(b, "x", 5, 6, 3, 2))
			}).checkGradients(t, 180, 1e-7)
		})
	}
}

// TestLargePool: a square of 16 pixels has the maximum of its squares of 8.
func TestLargePool(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 2*18*17)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	var y [2][]float64
	for k, sides := range [][]int{{16}, {8, 9}} {
		net, err := New([]int{18, 17}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			x = b.Images("i", x, 1)
			for _, side := range sides {
				x = b.MaxPool(fmt.Sprint(side), x, side, 1, 0)
			}
			return x
		}, rng)
		require.NoError(t, err)
		y[k], err = net.Forward(x, 2)
		require.NoError(t, err)
	}
	require.Len(t, y[0], 2*3*2)
	require.Equal(t, y[1], y[0])
}

// With Ceil a window may be larger than the map: the values are those of max_pool2d and avg_pool2d of
// torch 2.15 with ceil_mode.
func TestPoolBeyond(t *testing.T) {
	w := Window{Kernel: [2]int{2, 3}, Stride: [2]int{2, 1}, Pad: [4]int{0, 1, 0, 1}, Ceil: true}
	for name, c := range map[string]struct {
		pool func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node
		want []float64
	}{
		"max":    {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.WindowMax("p", x, w) }, []float64{2, 3, 4, 5, 6, 7, 7}},
		"padded": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.WindowAverage("p", x, w, true) }, []float64{1, 2, 3, 4, 5, 6, 13. / 3}},
		"inside": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.WindowAverage("p", x, w, false) }, []float64{1.5, 2, 3, 4, 5, 6, 6.5}},
	} {
		net, err := New([]int{1, 7}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return c.pool(b, b.Images("i", x, 1)) }, rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err, name)
		got, err := net.Forward([]float64{1, 2, 3, 4, 5, 6, 7}, 1)
		require.NoError(t, err, name)
		near(t, name, got, c.want, 1e-12)
	}
	w.Stride[0] = 1
	_, err := New([]int{1, 7}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.WindowMax("p", b.Images("i", x, 1), w)
	}, rand.New(rand.NewPCG(1, 2)))
	require.ErrorContains(t, err, "does not fit a map of 1×7")
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
