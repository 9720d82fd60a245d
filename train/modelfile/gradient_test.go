package modelfile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/nn/difference"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train/half"
	"hinge/train/learning"
)

// TestGradient checks the whole chain in float64 by finite differences: the loss of the
// rules, of the labels and of the marginal of classes over Bᵀμ* and the outputs to every parameter of both networks,
// and to the rule weights; of the whole partition and of a batch of its components, each
// with a program of its own, with and without draws. Some potentials have outputs alone.
func TestGradient(t *testing.T) {
	file := write(t, strings.Replace(parted(t), `"Y(X, +C) = 1 ."`, `"3: A(X, '0') & Q(X, 'u') -> B(X, 'u') ^2", "Y(X, +C) = 1 ."`, 1), tinyFiles)
	for _, loss := range []bilevel.LossName{bilevel.LossEnergy, bilevel.LossSP, bilevel.LossMSE, bilevel.LossBCE, bilevel.LossAnswer} {
		for _, batch := range []int{1, 2} {
			for _, draws := range []int{0, 3} {
				t.Run(fmt.Sprintf("%s, batch %d, %d draws", loss, batch, draws), func(t *testing.T) { checkGradient(t, file, loss, batch, draws) })
			}
		}
	}
}

func checkGradient(t *testing.T, file string, loss bilevel.LossName, batch, draws int) {
	p, err := loadPart(file, model.Learn)
	require.NoError(t, err)
	single, err := newNetworks[float32](p.Model, 3, "", nn.Sampling{})
	if err == nil {
		err = p.see(single)
	}
	require.NoError(t, err)
	networks, err := newNetworks[float64](p.Model, 3, "", nn.Sampling{Draws: draws})
	require.NoError(t, err)
	if len(networks) != 2 || len(networks[0].heads) != 2 || networks[0].width != 4 || networks[1].width != 1 {
		t.Fatalf("%d networks, the first with heads %+v", len(networks), networks[0].heads)
	}
	var views []*view[float64]
	for _, n := range networks {
		v, err := n.see(p.Model)
		require.NoError(t, err)
		n.net.State().Temperature = 0.8
		views = append(views, v)
	}
	whole, err := p.whole()
	require.NoError(t, err)
	list := []*example{whole}
	problem := bilevel.Problem{Template: p.template, Samples: 1, Batch: batch}
	room := p.template.Deep
	if batch > 1 {
		list, err = p.divided(batch, true)
		require.NoError(t, err)
		problem.Samples = len(list)
		for _, e := range list {
			problem.Templates = append(problem.Templates, e.template)
		}
		if len(list) != 2 || list[0].template.Rows() == list[1].template.Rows() {
			t.Fatalf("%d examples, want two that differ", len(list))
		}
		room, _ = bilevel.Room(problem.Templates, batch)
	}
	problem.Label = func(i int, in *lcqp.Instance) error { return bilevel.FixLabels(in, list[i].truth) }
	o, err := bilevel.NewObjective(problem, bilevel.Settings{Loss: loss, Factor: 0.6, Draws: max(draws, 1),
		Lagrangian: bilevel.Lagrangian{Nudge: 1e-4, ProxWeight: 1, EnergyCoefficient: 0.5, ConstraintDraws: max(draws, 1)},
		Value:      bilevel.Options{Epsilon: 0.05, Solver: infer.Settings{GapTolerance: 1e-13}}})
	require.NoError(t, err)
	w, err := half.StartWeights(p.template)
	require.NoError(t, err)
	pass, err := newPass(views, []int{3, 3}, max(draws, 1), room)
	require.NoError(t, err)
	pass.weight, pass.marginal = 0.7, 0.4
	gradient, err := bilevel.Attach(o, pass.graph, w, pass.terms(false)...)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 9))
	g := make([]float64, room)
	for i := range g {
		g[i] = rng.Float64()
	}
	// A relaxation from elsewhere makes the constraints of the bilevel losses bite.
	require.NoError(t, o.Start(w, [][]int{learning.All(batch)}, func([]int) ([]float64, error) { return g, nil }))
	order := learning.All(batch)
	order[0], order[batch-1] = order[batch-1], order[0]
	var loaded []*example
	for _, i := range order {
		loaded = append(loaded, list[i])
	}
	run := func() float64 {
		require.NoError(t, o.Load(order))
		x, err := pass.load(loaded)
		if err == nil {
			err = pass.graph.Run(x)
		}
		require.NoError(t, err)
		return pass.graph.Loss()
	}
	run()
	if g := pass.graph.Result(); draws > 0 && slices.Equal(g[:room], g[room:2*room]) {
		t.Error("the draws are the same")
	}
	total := 0.0
	// The gradient of the answers' loss is exact as the pull of the labels goes to zero.
	tolerance := 1e-5
	if loss == bilevel.LossAnswer {
		tolerance = 2e-2
	}
	check := func(name string, at, want []float64) {
		t.Helper()
		want = append([]float64(nil), want...)
		for i := range at {
			q := difference.Quotient(at, i, 1e-5, run)
			total += math.Abs(q)
			if math.Abs(q-want[i]) > tolerance*(1+math.Abs(q)) {
				t.Errorf("%s %d: gradient %v, difference quotient %v", name, i, want[i], q)
			}
		}
	}
	check("w", w, gradient())
	for _, n := range networks {
		for _, param := range n.net.Params().All() {
			before := total
			check(n.name+"."+param.Name, param.Value, param.Grad)
			if total == before {
				t.Errorf("%s.%s has no influence", n.name, param.Name)
			}
		}
	}
}

// TestOutputs: what logits become, by hand, and what labels of them cost.
func TestOutputs(t *testing.T) {
	heads := []nn.Head{{From: 0, To: 2}, {From: 2, To: 4, Sigmoid: true}}
	z := []float64{0, math.Log(3), 0, 100, 1, 1, math.Log(4), -1, -1000, 1000, 2, 0}
	net, err := nn.New([]int{4}, nn.Heads(func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node { return x }, heads, nn.Sampling{}, nil), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	got, err := net.Forward(z, 3)
	require.NoError(t, err)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for i, want := range []float64{0.25, 0.75, 0.5, 1, 0.5, 0.5, 0.8, sigmoid(-1), 0, 1, sigmoid(2), 0.5} {
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("output %d is %v, want %v", i, got[i], want)
		}
	}
	p, err := loadPart(write(t, tiny, tinyFiles), model.Learn)
	require.NoError(t, err)
	networks, err := newNetworks[float64](p.Model, 3, "", nn.Sampling{})
	require.NoError(t, err)
	v, err := networks[0].see(p.Model)
	require.NoError(t, err)
	if v.count != 3 || v.x[0] != 0.5 || v.x[5] != 1 {
		t.Fatalf("%d entities with the features %v", v.count, v.x)
	}
	v.last = got
	// The softmaxes of a, b and c, each followed by its two sigmoids.
	entropy := func(p float64) float64 { return -(xlogx(p) + xlogx(1-p)) / math.Ln2 }
	mean := (entropy(0.25) + entropy(0.5)/2 + 1 + (entropy(0.8)+entropy(1/(1+math.E)))/2 + 0 + (entropy(1/(1+math.Exp(-2)))+1)/2) / 6
	if got := v.entropy(); math.Abs(got-mean) > 1e-12 {
		t.Errorf("entropy %v, by hand %v", got, mean)
	}
	want := -math.Log(0.25) - 0 - 0.3*math.Log(1/(1+math.E)) - 0.7*math.Log(1/(1+math.Exp(-1))) - math.Log(1/(1+math.Exp(-2)))
	if got := v.labelLoss(v.labels, 1, z, make([]float64, len(z))); math.Abs(got-want) > 1e-12 {
		t.Errorf("the loss of the labels is %v, by hand %v", got, want)
	}
}
