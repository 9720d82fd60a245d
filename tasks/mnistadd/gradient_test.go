package mnistadd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/nn"
	"hinge/nn/difference"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// bound makes a float64 vector node over x.
func bound(g *gorgonia.ExprGraph, name string, x []float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(x)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))))
}

// compare checks grad against central differences of f at some entries of x.
// Where two step sizes disagree the loss has a kink and no derivative; such
// entries must be rare.
func compare(t *testing.T, name string, x, grad []float64, f func() float64, entries int, rng *rand.Rand) {
	t.Helper()
	const rtol, floor = 1e-4, 1e-3
	kinks := 0
	for range entries {
		i := rng.IntN(len(x))
		d, d2 := difference.Quotient(x, i, 1e-5, f), difference.Quotient(x, i, 4e-6, f)
		if math.Abs(d-d2) > rtol*(floor+math.Abs(d)) {
			kinks++
			continue
		}
		assert.InDeltaf(t, grad[i], d, rtol*(floor+math.Abs(d)), "%s[%d]", name, i)
	}
	assert.LessOrEqualf(t, 4*kinks, entries, "%s: entries at kinks", name)
}

// TestLossThroughNetwork differentiates the whole losses, network, Gumbel
// samples, symbolic model and all, in float64, and compares with finite
// differences in every parameter array and in w_sy. Package bilevel does so in the points y
// and the slacks s of the bilevel losses.
func TestLossThroughNetwork(t *testing.T) {
	for _, loss := range bilevel.Losses {
		lossThroughNetwork(t, 1, loss)
	}
	lossThroughNetwork(t, 2, bilevel.LossEnergy)
}

func lossThroughNetwork(t *testing.T, digits int, loss bilevel.LossName) {
	const additions, samples, entries = 2, 2, 8
	sym, err := NewSymbolic(digits, "")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(uint64(digits), 9))
	net, err := nn.New([]int{6}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		h := b.ReLU("hidden", b.Linear("hidden", x, 8))
		return b.GumbelSoftmax("output", b.Linear("logits", h, 10), nn.Sampling{Draws: samples})
	}, rng)
	require.NoError(t, err)
	n := additions * 2 * digits
	graph, err := net.Graph(n, true)
	require.NoError(t, err)
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: sym.Template, Samples: additions,
		Label: func(addition int, in *lcqp.Instance) error {
			return sym.FixLabels(in, mnist.NewSum(3+7*addition, sym.Digits))
		},
	}, bilevel.Settings{
		Loss: loss, Draws: samples, Lagrangian: bilevel.Lagrangian{EnergyCoefficient: 2, ProxWeight: 1, InitialMultiplier: 0.4},
		Value: bilevel.Options{Epsilon: 1e-2, Solver: infer.Settings{GapTolerance: 1e-12}},
	})
	require.NoError(t, err)
	weights := startWeights(sym)
	w := bound(graph.ExprGraph(), "w", weights)
	node, err := o.Loss(w, graph.Output)
	require.NoError(t, err)
	grads, err := graph.Compile(node, append(gorgonia.Nodes{w}, o.Inputs()...)...)
	require.NoError(t, err)
	o.Differentiated(grads[1:])
	require.NoError(t, place(o, rng, weights))
	x := make([]float64, 6*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	run := func() float64 {
		require.NoError(t, o.Load([]int{0, 1}))
		require.NoError(t, graph.Run(x))
		return graph.Loss()
	}
	run()
	dw := slices.Clone(grads[0].Value().Data().([]float64))
	layers := make(map[string][]float64)
	for _, p := range net.Params().Trainable() {
		layers[p.Name] = slices.Clone(p.Grad)
	}
	for _, p := range net.Params().Trainable() {
		compare(t, string(loss)+" "+p.Name, p.Value, layers[p.Name], run, entries, rng)
	}
	compare(t, string(loss)+" w", weights, dw, run, len(weights), rng)
}

// place starts an objective and moves its points and slacks away from there, as
// a saved state does.
func place(o *bilevel.Objective, rng *rand.Rand, weights []float64) error {
	p := o.Problem()
	if !o.Settings().Loss.Bilevel() {
		return nil
	}
	err := o.Start(weights, [][]int{{0, 1}}, func(batch []int) ([]float64, error) {
		g := make([]float64, len(batch)*p.Template.Deep)
		for i := range g {
			g[i] = 0.1
		}
		return g, nil
	})
	if err != nil {
		return err
	}
	state := make(map[string][]float64)
	for _, a := range o.State() {
		state[a.Name] = a.Data
	}
	for name, spread := range map[string]float64{"bilevel/points": 0.9, "bilevel/slacks": 0.2} {
		for i := range state[name] {
			state[name][i] = 0.05 + spread*rng.Float64()
		}
	}
	return o.SetState(func(name string) ([]float64, error) { return state[name], nil })
}
