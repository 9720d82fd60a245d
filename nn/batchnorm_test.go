package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// normFixture is a batch normalisation of a 2×3×4×5 leaf; γ and β are moved off
// their initial values.
func normFixture(t *testing.T, relu, res bool) *fixture {
	f := newFixture(t, 4, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		x := leaf(b, "x", 2, 3, 4, 5)
		c := BatchNorm{ReLU: relu}
		if res {
			c.Residual = leaf(b, "res", 2, 3, 4, 5)
		}
		return b.BatchNorm("bn", x, c)
	})
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"bn.weight", "bn.bias"} {
		for i, v := range f.net.Params().Get(name).Value {
			f.net.Params().Get(name).Value[i] = v + rng.NormFloat64()/2
		}
	}
	return f
}

func TestBatchNormGradient(t *testing.T) {
	for _, c := range []struct {
		name      string
		relu, res bool
	}{{"plain", false, false}, {"relu", true, false}, {"residual", false, true}, {"both", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			normFixture(t, c.relu, c.res).checkGradients(t, 120, 1e-6)
		})
	}
}

// TestBatchNormModes checks the running statistics against their definition
// and that evaluation uses, and training survives, what training left.
func TestBatchNormModes(t *testing.T) {
	const n, c = 6, 3
	rng := rand.New(rand.NewPCG(1, 2))
	net, err := New([]int{c}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.BatchNorm("bn", b.Linear("in", x, c), BatchNorm{})
	}, rng)
	require.NoError(t, err)
	ps := net.Params()
	ps.Get("in.weight").StorageOrder(ps.Get("in.weight").Value, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	clear(ps.Get("in.bias").Value)
	g := forwardGraph(t, net, n, true)
	mean, variance := make([]float64, c), []float64{1, 1, 1}
	x := make([]float64, n*c)
	for range 3 {
		normal[float64](2)(x, rng)
		require.NoError(t, g.Run(x))
		for j := range c {
			m, v := 0., 0.
			for i := range n {
				m += x[i*c+j] / n
			}
			for i := range n {
				v += (x[i*c+j] - m) * (x[i*c+j] - m) / (n - 1)
			}
			mean[j] = .9*mean[j] + .1*m
			variance[j] = .9*variance[j] + .1*v
		}
	}
	near(t, "running_mean", ps.Get("bn.running_mean").Value, mean, 1e-12)
	near(t, "running_var", ps.Get("bn.running_var").Value, variance, 1e-12)

	y, err := net.Forward(x, n)
	require.NoError(t, err)
	for i := range y {
		want := (x[i] - mean[i%c]) / math.Sqrt(variance[i%c]+1e-5)
		near(t, "evaluation", y[i:i+1], []float64{want}, 1e-12)
	}
	near(t, "running_mean after evaluation", ps.Get("bn.running_mean").Value, mean, 1e-12)
	before := append([]float64(nil), y...)
	require.NoError(t, g.Run(x))
	after, err := net.Forward(x, n)
	require.NoError(t, err)
	if after[0] == before[0] {
		t.Error("evaluation did not see the statistics of the last training step")
	}
}

func TestBatchNormRefuses(t *testing.T) {
	one, err := NewWhole([]int{3}, 1, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.BatchNorm("bn", x, BatchNorm{})
	}, rand.New(rand.NewPCG(1, 2)))
	assert.ErrorContainsf(t, err, "more than one value", "a batch of one: got %v", one)
	net, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.BatchNorm("bn", b.Linear("l", x, 2), BatchNorm{})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(2, false)
	require.NoError(t, err)
	if _, err := g.Compile(g.Builder().SquaredError("loss", g.Output, make([]float64, 4))); err == nil {
		t.Error("an evaluation graph could be differentiated")
	}
}

// TestBatchNormBeyond: inputs ±1e20 are ±1 when they are normalised, but their variance of 1e40 is no
// number of single precision, by which they would become 0.
func TestBatchNormBeyond(t *testing.T) {
	net, err := New([]int{2}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.BatchNorm("bn", x, BatchNorm{})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g := forwardGraph(t, net, 4, true)
	assert.ErrorContains(t, g.Run([]float32{1, 1e20, 2, -1e20, 3, 1e20, 4, -1e20}), "bn: the variance of channel 1 is beyond")
}
