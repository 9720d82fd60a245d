package nn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// residual is a block on a map: two convolutions, and a shortcut of either kind.
func residualBlock(b *Builder[float64], x *gorgonia.Node, project bool, twice bool) *gorgonia.Node {
	out, stride := x.Shape()[3], 1
	if project {
		out, stride = 6, 2
	}
	y := b.Conv("c1", x, Conv{Out: out, Kernel: 3, Stride: stride, Pad: 1})
	s := x
	if !twice {
		s = b.Skip("s", x, y)
	}
	y = b.Conv("c2", b.BatchNorm("n1", y, BatchNorm{ReLU: true}), Conv{Out: out, Kernel: 3, Pad: 1})
	if project {
		s = b.BatchNorm("n3", b.Conv("c3", s, Conv{Out: out, Kernel: 1, Stride: stride}), BatchNorm{})
	}
	return b.BatchNorm("n2", y, BatchNorm{ReLU: true, Residual: s})
}

// TestSkipGradient checks both kinds of block by differences, and against the
// same block in which gorgonia itself adds the two gradients of x.
func TestSkipGradient(t *testing.T) {
	for name, project := range map[string]bool{"identity": false, "projection": true} {
		t.Run(name, func(t *testing.T) {
			var fs [2]*fixture
			for i, twice := range []bool{false, true} {
				fs[i] = newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
					return residualBlock(b, leaf(b, "x", 4, 4, 3, 4), project, twice)
				})
				fs[i].loss(t)
			}
			for i, p := range fs[0].net.Params().Trainable() {
				near(t, p.Name, p.Grad, fs[1].net.Params().Trainable()[i].Grad, 1e-12)
			}
			fs[0].checkGradients(t, 40, 1e-5)
		})
	}
}

// TestSkipFrozen: the gradients by what is before a block whose shortcut is frozen are those of
// the same block without a skip connection.
func TestSkipFrozen(t *testing.T) {
	for name, frozen := range map[string][]string{
		"shortcut": {"c3", "n3"}, "convolution": {"c3"}, "block": {"c1", "n1", "c2", "n2", "c3", "n3"}, "main branch": {"c1", "n1", "c2", "n2"},
	} {
		var grads [2][]float64
		for i, twice := range []bool{false, true} {
			net, err := New([]int{4, 4, 4}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
				return residualBlock(b, b.Conv("c0", b.Images("in", x, 4), Conv{Out: 4, Kernel: 1}), true, twice)
			}, rand.New(rand.NewPCG(11, 12)))
			require.NoError(t, err)
			for _, pattern := range frozen {
				require.NoError(t, net.Params().Freeze("", pattern))
			}
			g := trainingGraph(t, net, 3, nil)
			x := make([]float64, 3*4*4*4)
			normal[float64](1)(x, rand.New(rand.NewPCG(13, 14)))
			require.NoError(t, g.Run(x))
			for _, p := range net.Params().Trainable() {
				grads[i] = append(grads[i], p.Grad...)
			}
		}
		near(t, name, grads[0], grads[1], 1e-12)
		assert.Greater(t, slices.Max(grads[0]), 1e-3, name)
	}
}

func TestSkipMisuse(t *testing.T) {
	conv := Conv{Out: 2, Kernel: 3, Pad: 1}
	for name, c := range map[string]struct {
		def  Definition[float64]
		want string
	}{
		"not a conv": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			x := leaf(b, "x", 3, 3, 2, 2)
			return b.Skip("s", x, b.ReLU("r", x))
		}, "main branch"},
		"another value": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			x := leaf(b, "x", 3, 3, 2, 2)
			return b.Skip("s", b.ReLU("r", x), b.Conv("c", x, conv))
		}, "main branch"},
		"two skips": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			x := leaf(b, "x", 3, 3, 2, 2)
			y := b.Conv("c", x, conv)
			b.Skip("s", x, y)
			return b.Skip("s", x, y)
		}, "main branch"},
		"unused": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			x := leaf(b, "x", 3, 3, 2, 2)
			y := b.Conv("c", x, conv)
			b.Skip("s", x, y)
			return y
		}, "no gradient reached"},
		"two consumers": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			x := leaf(b, "x", 3, 3, 2, 2)
			y := b.Conv("c", x, conv)
			s := b.Skip("s", x, y)
			y = b.BatchNorm("n1", y, BatchNorm{Residual: s})
			return b.BatchNorm("n2", y, BatchNorm{Residual: s})
		}, "second consumer"},
		"stock consumer": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			x := leaf(b, "x", 3, 3, 2, 2)
			y := b.Conv("c", x, conv)
			return gorgonia.Must(gorgonia.Add(y, b.Skip("s", x, y)))
		}, "no gradient reached"},
	} {
		t.Run(name, func(t *testing.T) {
			net, err := New([]int{1}, c.def, rand.New(rand.NewPCG(1, 2)))
			if err == nil {
				var g *Graph[float64]
				g, err = net.Graph(2, true)
				require.NoError(t, err)
				_, err = g.Compile(g.Builder().SquaredError("l", g.Output, make([]float64, size(g.Output.Shape()))))
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}
