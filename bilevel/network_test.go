package bilevel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/symbolic/lcqp"
)

// attached is an objective over random programs on the output of a network of one
// layer, in float64.
func attached(t *testing.T, loss LossName, seed uint64) (o *Objective, g *nn.Graph[float64], net *nn.Net[float64], w []float64, gradient func() []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 31))
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 14))
	require.NoError(t, err)
	o, err = NewObjective(Problem{Template: template, Samples: rigSamples, Label: labelled},
		Settings{Loss: loss, Lagrangian: Lagrangian{ProxWeight: 1, EnergyCoefficient: 0.5}, Value: Options{Epsilon: 0.05, Solver: tight}})
	require.NoError(t, err)
	net, err = nn.New([]int{3}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Softmax("output", b.Linear("layer", x, template.Deep))
	}, rng)
	require.NoError(t, err)
	g, err = net.Graph(rigSamples, true)
	require.NoError(t, err)
	t.Cleanup(func() { g.Close() })
	w = uniform(rng, template.Rules, 0.2, 1)
	gradient, err = Attach(o, g, w)
	require.NoError(t, err)
	return o, g, net, w, gradient
}

// TestAttach differentiates the loss by the rule weights and by the network's
// parameters and compares with finite differences; the weights are the caller's.
func TestAttach(t *testing.T) {
	for _, loss := range []LossName{LossEnergy, LossSP, LossMSE} {
		o, g, net, w, gradient := attached(t, loss, 5)
		r := rig{o: o}
		rng := rand.New(rand.NewPCG(1, 2))
		r.place(rng)
		x := uniform(rng, 3*rigSamples, -1, 1)
		run := func() float64 {
			require.NoError(t, o.Load([]int{0, 1, 2, 3}))
			require.NoError(t, g.Run(x))
			return g.Loss()
		}
		run()
		require.Equalf(t, len(w), len(gradient()), "%s", loss)
		checkGradient(t, string(loss)+" weight", w, gradient(), run, 1e-4)
		run()
		for _, p := range net.Params().Trainable() {
			checkGradient(t, string(loss)+" "+p.Name, p.Value, p.Grad, run, 1e-4)
			run()
		}
		// A bilevel step needs the gradients of y and s.
		if loss == LossMSE {
			_, err := o.Step(w, gradient())
			require.NoError(t, err)
		}
		_, err := Attach(o, g, w)
		assert.Errorf(t, err, "%s: a graph is compiled twice", loss)
	}
}
