package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestCheckGradient: in float32 and float64, right networks pass, a layer with a wrong gradient
// is found in the parameters below it, and nothing else changes.
func TestCheckGradient(t *testing.T) {
	checkGradient[float32](t)
	checkGradient[float64](t)
}

func checkGradient[T Float](t *testing.T) {
	for _, factor := range []T{1, 1.5} {
		net, err := New([]int{6, 6}, func(b *Builder[T], x *gorgonia.Node) *gorgonia.Node {
			y := b.BatchNorm("bn", b.Conv("conv", b.Images("in", x, 1), Conv{Out: 3, Kernel: 3, Pad: 1}), BatchNorm{ReLU: true})
			y = b.GlobalAvgPool("pool", b.MaxPool("max", y, 2, 2, 0))
			y = b.unary("false", y, y.Shape(), same[T], 0, func(dy, _, _, dx []T) {
				for i, d := range dy {
					dx[i] = factor * d
				}
			})
			return b.Linear("fc", b.Dropout("drop", y, 0.2), 4)
		}, rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err)
		g, err := net.Graph(3, true)
		require.NoError(t, err)
		assert.ErrorContains(t, CheckGradient(g, nil), "compiled with a loss")
		_, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, []int{0, 3, 1}, nil))
		require.NoError(t, err)
		assert.ErrorContains(t, CheckGradient(g, make([]T, 3)), "3 input numbers, want 108")
		x := make([]T, 108)
		normal[T](1)(x, rand.New(rand.NewPCG(3, 4)))
		before := net.Params().Export()
		err = CheckGradient(g, x)
		assert.Equal(t, before, net.Params().Export())
		if factor == 1 {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, "the gradients by 3 of 5 parameters are wrong:\nconv.weight[")
		assert.ErrorContains(t, err, "\nbn.weight[")
		assert.NotContains(t, err.Error(), "fc.")
		require.NoError(t, g.Run(x))
		grad := slices.Clone(net.Params().Get("fc.bias").Grad)
		require.Error(t, CheckGradient(g, x))
		assert.Equal(t, grad, net.Params().Get("fc.bias").Grad)
	}
}

// TestSameNames: constants of the name of a parameter, of the input and of each other are nodes
// of their own, and an input from outside of a parameter's name is refused.
func TestSameNames(t *testing.T) {
	foreign := false
	define := func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		if foreign {
			gorgonia.NewVector(b.ExprGraph(), tensor.Float64, gorgonia.WithName("l.bias"), gorgonia.WithShape(2))
		}
		for i, name := range []string{"l.bias", "mask", "mask", "input"} {
			c := b.Constant(name, slices.Repeat([]float64{float64(i + 1)}, 6), 2, 3)
			if name == "l.bias" {
				b.Reduce("c", ReduceMean, c)
				b.Constant(name, []float64{7, 7}, 2)
			} else {
				x = b.Combine("add", Add, x, c)
			}
		}
		return b.Linear("l", x, 2)
	}
	net, err := New([]int{3}, define, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g := trainingGraph(t, net, 2, nil)
	require.NoError(t, CheckGradient(g, make([]float64, 6)))
	w := net.Params().Get("l.weight").Value // [3][2]
	for j, y := range g.Result() {
		j %= 2
		assert.InDelta(t, 9*(w[j]+w[2+j]+w[4+j])+net.Params().Get("l.bias").Value[j], y, 1e-12)
	}
	foreign = true
	_, err = net.Graph(2, true)
	assert.ErrorContains(t, err, "nn: l.bias: the graph has an input of this name already")
}

// TestDiverged: a NaN in the weights or the input is an error that names the example, in
// chunks as in graphs; one in the padding of a chunk, or in training, is none.
func TestDiverged(t *testing.T) {
	nan := math.NaN()
	net, err := New([]int{2}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Combine("ratio", Div, b.Linear("fc", x, 2), x) // 0/0 of a padded row
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	x := slices.Repeat([]float64{1}, 2*131)
	_, err = net.Forward(x, 131)
	require.NoError(t, err)
	x[2*130+1] = nan
	y, err := net.Forward(x, 131)
	assert.EqualError(t, err, "nn: the input of example 130 (from 0) holds a NaN, so the network has no answer for it")
	assert.Len(t, y, 2*131)
	net.Params().Get("fc.bias").Value[1] = nan
	_, err = net.Forward(x[:6], 3)
	assert.ErrorContains(t, err, "the network's output for example 0 (from 0) is not a number")
	maps, err := New([]int{4, 4}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		y := b.MaxPool("max", b.Conv("conv", b.Images("in", x, 1), Conv{Out: 16, Kernel: 3, Pad: 1}), 2, 2, 0)
		y = b.WindowMax("all", b.ReLU("relu", y), Window{Kernel: [2]int{2, 2}})
		return b.Linear("fc", b.GlobalAvgPool("pool", y), 2)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	maps.Params().Get("conv.weight").Value[70] = float32(nan)
	_, err = maps.Forward(make([]float32, 32), 2)
	assert.ErrorContains(t, err, "output for example 0")
	g := forwardGraph(t, net, 3, false)
	assert.ErrorContains(t, g.Run(x[:6]), "output for example 0")
	assert.NoError(t, trainingGraph(t, net, 3, nil).Run(x[:6]))
}
