package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// lossGraph compiles a loss of a 4×3 leaf.
func lossGraph(t *testing.T, loss func(g *Graph[float64]) *gorgonia.Node) *fixture {
	t.Helper()
	net, err := newNet([]int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return leaf(b, "x", 4, 3)
	}, rand.New(rand.NewPCG(1, 2)), 4)
	require.NoError(t, err)
	g, err := net.Graph(4, true)
	require.NoError(t, err)
	_, err = g.Compile(loss(g))
	require.NoError(t, err)
	return &fixture{net: net, g: g, x: make([]float64, 4)}
}

func TestCrossEntropy(t *testing.T) {
	labels := []int{2, 0, 1, 1}
	f := lossGraph(t, func(g *Graph[float64]) *gorgonia.Node {
		return g.Builder().CrossEntropy("ce", g.Output, labels)
	})
	f.checkGradients(t, 12, 1e-7)
	x, want := f.net.Params().Get("x").Value, 0.
	for i, l := range labels {
		row := x[i*3:][:3]
		want += (math.Log(math.Exp(row[0])+math.Exp(row[1])+math.Exp(row[2])) - row[l]) / 4
	}
	near(t, "loss", []float64{f.loss(t)}, []float64{want}, 1e-12)
	labels[3] = 3
	assert.ErrorContains(t, f.g.Run(f.x), "label 3", "label 3 of 3 classes")
	labels[3] = 1
	near(t, "loss of the run after an error", []float64{f.loss(t)}, []float64{want}, 1e-12)
}

func TestSquaredError(t *testing.T) {
	target := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	f := lossGraph(t, func(g *Graph[float64]) *gorgonia.Node {
		return g.Builder().SquaredError("se", g.Output, target)
	})
	f.checkGradients(t, 12, 1e-7)
	copy(f.net.Params().Get("x").Value, target)
	f.net.Params().Get("x").Value[0] += 2
	near(t, "loss", []float64{f.loss(t)}, []float64{1}, 0)
}

// TestScaledLoss puts stock gorgonia arithmetic on top: the incoming gradient
// of a loss op is then not one.
func TestScaledLoss(t *testing.T) {
	for name, layer := range map[string]func(g *Graph[float64]) *gorgonia.Node{
		"ce": func(g *Graph[float64]) *gorgonia.Node {
			return g.Builder().CrossEntropy("l", g.Output, []int{0, 1, 2, 0})
		},
		"se": func(g *Graph[float64]) *gorgonia.Node {
			return g.Builder().SquaredError("l", g.Output, make([]float64, 12))
		},
	} {
		t.Run(name, func(t *testing.T) {
			lossGraph(t, func(g *Graph[float64]) *gorgonia.Node {
				return gorgonia.Must(gorgonia.Mul(layer(g), gorgonia.NewConstant(3.5)))
			}).checkGradients(t, 12, 1e-7)
		})
	}
}
