package nn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestHold: a held network has the bits of the network at the call of Hold, whatever is written
// afterwards, and Release has it answer by what was written.
func TestHold(t *testing.T) {
	net, err := New([]int{1, 8, 8}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		x = b.Images("images", x, 1)
		x = b.BatchNorm("bn1", b.Conv("conv1", x, Conv{Out: 6, Kernel: 3, Pad: 1}), BatchNorm{ReLU: true})
		x = b.MaxPool("pool", x, 2, 2, 0)
		x = b.BatchNorm("bn2", b.Conv("conv2", x, Conv{Out: 40, Kernel: 3, Pad: 1}), BatchNorm{ReLU: true})
		x = b.ReLU("hidden", b.Linear("hidden", b.GlobalAvgPool("mean", x), 33))
		return b.Linear("out", b.BatchNorm("bn3", x, BatchNorm{}), 3)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	x := make([]float32, 3*64)
	normal[float32](1)(x, rand.New(rand.NewPCG(3, 4)))
	ask := func() []float32 {
		var all []float32
		for _, n := range []int{1, 3, 1} {
			y, err := net.Forward(x[:n*64], n)
			require.NoError(t, err)
			all = append(all, y...)
		}
		return all
	}
	before := ask()
	net.Hold()
	assert.Equal(t, before, ask(), "held")
	for _, p := range net.Params().All() {
		for i := range p.Value {
			p.Value[i] += .25
		}
	}
	assert.Equal(t, before, ask(), "held, and written to")
	net.Release()
	after := ask()
	assert.NotEqual(t, before, after, "released")
	net.Hold()
	assert.Equal(t, after, ask(), "held anew")
}
