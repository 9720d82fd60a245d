package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// lossGraph compiles a loss of a leaf.
func lossGraph(t *testing.T, rows, columns int, loss func(g *Graph[float64]) *gorgonia.Node) *fixture {
	t.Helper()
	net, err := NewWhole([]int{1}, rows, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return leaf(b, "x", rows, columns)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(rows, true)
	require.NoError(t, err)
	_, err = g.Compile(loss(g))
	require.NoError(t, err)
	return &fixture{net: net, g: g, x: make([]float64, rows)}
}

// TestCrossEntropy: loss and gradient are those of the definition, with weights and
// without; examples of weight 0 need no label, others do.
func TestCrossEntropy(t *testing.T) {
	labels := []int{2, -1, 1, 1}
	for _, weights := range [][]float64{nil, {1, 0, 0.5, 2}, {0, 0, 0, 0}} {
		labels[1] = -1
		if weights == nil {
			labels[1] = 0
		}
		f := lossGraph(t, 4, 3, func(g *Graph[float64]) *gorgonia.Node {
			return g.Builder().CrossEntropy("ce", g.Output, labels, weights)
		})
		x, want, total := f.net.Params().Get("x").Value, 0., 1e-300
		for i, l := range labels {
			w := 1.
			if weights != nil {
				w = weights[i]
			}
			if total += w; w > 0 {
				row := x[i*3:][:3]
				want += w * (math.Log(math.Exp(row[0])+math.Exp(row[1])+math.Exp(row[2])) - row[l])
			}
		}
		want /= total
		near(t, "loss", []float64{f.loss(t)}, []float64{want}, 1e-12)
		if want == 0 {
			continue
		}
		f.checkGradients(t, 12, 1e-7)
		labels[3] = 3
		assert.EqualError(t, f.g.Run(f.x), "nn: crossentropy ce: label 3 of example 3 is not in 0..2")
		labels[3] = 1
		if weights != nil {
			weights[3] = -2
			assert.EqualError(t, f.g.Run(f.x), "nn: crossentropy ce: weight -2 of example 3 is not 0 or more")
			weights[3] = 2
		}
		near(t, "loss of the run after an error", []float64{f.loss(t)}, []float64{want}, 1e-12)
	}
}

func TestSquaredError(t *testing.T) {
	target := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	f := lossGraph(t, 4, 3, func(g *Graph[float64]) *gorgonia.Node {
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
			return g.Builder().CrossEntropy("l", g.Output, []int{0, 1, 2, 0}, nil)
		},
		"se": func(g *Graph[float64]) *gorgonia.Node {
			return g.Builder().SquaredError("l", g.Output, make([]float64, 12))
		},
	} {
		t.Run(name, func(t *testing.T) {
			lossGraph(t, 4, 3, func(g *Graph[float64]) *gorgonia.Node {
				return gorgonia.Must(gorgonia.Mul(layer(g), gorgonia.NewConstant(3.5)))
			}).checkGradients(t, 12, 1e-7)
		})
	}
}

// TestCrossEntropyOfProbabilities compares with PyTorch 2.9.1 at probabilities of 0 and 1,
// whose logarithms end at −100:
//
//	p = torch.tensor([[0, 1, .25], [.75, 1, 0]], dtype=torch.float64, requires_grad=True)
//	t = torch.tensor([[0, 1, .5], [0, 0, 1]], dtype=torch.float64)
//	l = torch.nn.functional.binary_cross_entropy(p, t, reduction='sum')/2; l.backward()
//	print(l.item(), p.grad)
func TestCrossEntropyOfProbabilities(t *testing.T) {
	target := []float64{0, 1, 0.5, 0, 0, 1}
	for _, c := range []struct {
		loss func(b *Builder[float64], name string, p *gorgonia.Node, target []float64) *gorgonia.Node
		want float64
		grad []float64
	}{
		{(*Builder[float64]).BinaryCrossEntropy, 101.11164128895287, []float64{0, 0, -0.6666666666666666, 2, 5e11, -5e11}},
		{(*Builder[float64]).CategoricalCrossEntropy, (0.5*math.Log(4) + 100) / 2, []float64{0, -0.5, -1, 0, 0, -5e11}},
	} {
		f := lossGraph(t, 2, 3, func(g *Graph[float64]) *gorgonia.Node { return c.loss(g.Builder(), "l", g.Output, target) })
		p := f.net.Params().Get("x")
		copy(p.Value, []float64{0, 1, 0.25, 0.75, 1, 0})
		near(t, "loss", []float64{f.loss(t)}, []float64{c.want}, 1e-12)
		near(t, "gradient", p.Grad, c.grad, 1e-8)
		copy(p.Value, []float64{0.1, 0.9, 0.3, 0.5, 0.4, 0.6})
		f.checkGradients(t, 6, 1e-7)
	}
}
