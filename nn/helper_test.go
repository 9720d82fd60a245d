package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn/difference"
)

// leaf declares a parameter and returns it as a node of any shape, so that the
// gradient by a layer's input can be checked like that of a parameter.
func leaf[T Float](b *Builder[T], name string, shape ...int) *gorgonia.Node {
	p, v := b.param(Param[T]{Name: name, Shape: shape}, normal[T](1))
	if p == nil {
		return nil
	}
	o := &op[T]{name: "view " + name, run: always(copied[T])}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dview "+name, v.Shape(), copied[T], dy)}
	}
	return b.apply(o, shape, v)
}

// trainingGraph is a graph with the squared error of its output against a target, nil for
// zeros.
func trainingGraph[T Float](t testing.TB, net *Net[T], batch int, target []T) *Graph[T] {
	t.Helper()
	g, err := net.Graph(batch, true)
	require.NoError(t, err)
	if target == nil {
		target = make([]T, size(g.Output.Shape()))
	}
	_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
	require.NoError(t, err)
	return g
}

// forwardGraph is a graph without a loss.
func forwardGraph[T Float](t testing.TB, net *Net[T], batch int, training bool) *Graph[T] {
	t.Helper()
	g, err := net.Graph(batch, training)
	require.NoError(t, err)
	_, err = g.Compile(nil)
	require.NoError(t, err)
	return g
}

// fixture is a compiled training graph with a squared error against a fixed
// random target.
type fixture struct {
	net       *Net[float64]
	g         *Graph[float64]
	x, target []float64
}

// newFixture builds a definition that may ignore the input.
func newFixture(t *testing.T, batch int, example []int, def Definition[float64]) *fixture {
	t.Helper()
	net, err := NewWhole(example, batch, def, rand.New(rand.NewPCG(11, 12)))
	require.NoError(t, err)
	g, err := net.Graph(batch, true)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(13, 14))
	x, target := make([]float64, batch*size(example)), make([]float64, size(g.Output.Shape()))
	normal[float64](1)(x, rng)
	normal[float64](1)(target, rng)
	_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
	require.NoError(t, err)
	return &fixture{net, g, x, target}
}

func (f *fixture) loss(t *testing.T) float64 {
	t.Helper()
	require.NoError(t, f.g.Run(f.x))
	return f.g.Loss()
}

// checkGradients compares every parameter's gradient with central differences
// of the loss, at up to perParam elements each.
func (f *fixture) checkGradients(t *testing.T, perParam int, rtol float64) {
	t.Helper()
	params := f.net.Params().Trainable()
	if len(params) == 0 {
		t.Fatal("no trainable parameter: the check would be empty")
	}
	for _, p := range params {
		f.loss(t)
		if !slices.ContainsFunc(p.Grad, func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: the gradient is all zero", p.Name)
		}
		assert.NoError(t, difference.Check(p.Name, p.Value, p.Grad, perParam, rtol, func() float64 { return f.loss(t) }))
	}
}

// near reports the largest difference of two slices.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	require.Equalf(t, len(want), len(got), "%s", what)
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= tol*math.Max(1, math.Abs(want[i]))) {
			t.Fatalf("%s[%d] = %.9g, want %.9g", what, i, got[i], want[i])
		}
	}
}

// normal draws from N(0, std²).
func normal[T Float](std float64) initialiser[T] {
	return func(v []T, rng *rand.Rand) {
		for i := range v {
			v[i] = T(std * rng.NormFloat64())
		}
	}
}
