package bilevel

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/symbolic/lcqp"
)

// rig is an objective over random programs behind a one-layer network with
// noise, in float64, on a tape machine.
type rig struct {
	o       *Objective
	batch   []int
	w, wnn  []float64
	x       *gorgonia.Node // inputs of the network, 3 a slot
	loss    *gorgonia.Node
	dw, dnn *gorgonia.Node
	vm      gorgonia.VM
}

const rigSamples = 4

// lag is the loss where it is a bilevel one.
func (o *Objective) lag() *lagrangian {
	l, _ := o.loss.(*lagrangian)
	return l
}

// Full is the value function of V, Augmented that of M, or of V_δ; nil where the loss has none.
func (o *Objective) Full() *ValueFunction      { return o.further(0) }
func (o *Objective) Augmented() *ValueFunction { return o.further(1) }

func (o *Objective) further(n int) *ValueFunction {
	if n < len(o.own) {
		return o.own[n].ValueFunction
	}
	return nil
}

// labelled fixes targets 4 and 5 of every sample; the rest stays latent.
func labelled(sample int, in *lcqp.Instance) error {
	if err := in.Fix(4, float64(sample%2)); err != nil {
		return err
	}
	return in.Fix(5, 0.3+0.1*float64(sample))
}

func newRig(t *testing.T, seed uint64, batch, draws int, set Settings) *rig {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 14))
	require.NoError(t, err)
	set.Value.Epsilon, set.Value.Solver, set.Draws = 0.05, tight, draws
	o, err := NewObjective(Problem{Template: template, Samples: rigSamples, Batch: batch, Label: labelled}, set)
	require.NoError(t, err)
	r := &rig{o: o, w: uniform(rng, template.Rules, 0.2, 1), wnn: uniform(rng, 3*template.Deep, -1, 1)}
	for i := range batch {
		r.batch = append(r.batch, (i+1)%rigSamples)
	}
	graph := gorgonia.NewGraph()
	matrix := func(name string, x []float64, cols int) *gorgonia.Node {
		shape := tensor.Shape{len(x) / cols, cols}
		return gorgonia.NewMatrix(graph, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(shape...),
			gorgonia.WithValue(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(x))))
	}
	r.x = matrix("x", uniform(rng, draws*batch*3, -1, 1), 3)
	nn := matrix("w_nn", r.wnn, template.Deep)
	g := gorgonia.Must(gorgonia.Sigmoid(gorgonia.Must(gorgonia.Mul(r.x, nn))))
	w := leaf(graph, "w", r.w)
	r.loss, err = o.Loss(w, g)
	require.NoError(t, err)
	grads, err := gorgonia.Grad(r.loss, append(gorgonia.Nodes{w, nn}, o.Inputs()...)...)
	require.NoError(t, err)
	r.dw, r.dnn = grads[0], grads[1]
	o.Differentiated(grads[2:])
	r.vm = gorgonia.NewTapeMachine(graph)
	t.Cleanup(func() { r.vm.Close() })
	return r
}

// place puts a bilevel objective at random points, slacks and multipliers, with
// a relaxation that makes some constraints active and others not.
func (r *rig) place(rng *rand.Rand) {
	if r.o.lag() == nil {
		return
	}
	r.o.lag().outer.start(0.15, &r.o.set)
	r.o.lag().outer.penalty = 3
	copy(r.o.lag().points, uniform(rng, len(r.o.lag().points), 0.02, 0.98))
	copy(r.o.lag().slacks, uniform(rng, rigSamples, 0, 0.3))
	copy(r.o.lag().multipliers, uniform(rng, rigSamples, 0, 0.5))
}

// turn begins the batch with another sample. Inputs belong to slots: all are made alike.
func (r *rig) turn(first int) {
	x := r.x.Value().Data().([]float64)
	for i := range x {
		x[i] = x[i%3]
	}
	r.batch = append(slices.Clone(r.batch[first:]), r.batch[:first]...)
}

// run evaluates the loss at the objective's current state.
func (r *rig) run(t *testing.T) float64 {
	t.Helper()
	require.NoError(t, r.o.Load(r.batch))
	r.vm.Reset()
	require.NoError(t, r.vm.RunAll())
	return r.loss.Value().Data().(float64)
}

func copied(n *gorgonia.Node) []float64 { return slices.Clone(n.Value().Data().([]float64)) }

// TestLagrangianGradients differentiates the complete loss, all four of them,
// by w_sy, w_nn and y, and compares with finite differences.
func TestLagrangianGradients(t *testing.T) {
	for _, set := range []Settings{
		{Loss: LossEnergy}, {Loss: LossSP},
		{Loss: LossMSE, Lagrangian: Lagrangian{Slack: SlackExact}, Reduction: Sum}, {Loss: LossBCE, Lagrangian: Lagrangian{Slack: SlackExact}},
		{Loss: LossMSE, Lagrangian: Lagrangian{Slack: SlackNone}}, {Loss: LossBCE, Lagrangian: Lagrangian{Slack: SlackNone, Constraint: ConstraintBatch}},
		{Loss: LossMSE, Lagrangian: Lagrangian{Slack: SlackExact, Constraint: ConstraintBatch}},
		{Loss: LossBCE, Lagrangian: Lagrangian{ConstraintDraws: 1, ConstraintSamples: 2}},
		{Loss: LossSP, Lagrangian: Lagrangian{ConstraintDraws: 1, ConstraintSamples: 2}},
		{Loss: LossSP, Lagrangian: Lagrangian{ConstraintDraws: 1, ConstraintSamples: 1}, Reduction: Sum},
		{Loss: LossBCE, Lagrangian: Lagrangian{ConstraintDraws: 1}}, {Loss: LossMSE, Value: Options{DrawTemperature: 0.2}},
	} {
		set.ProxWeight, set.EnergyCoefficient = 1.25, 0.7
		for seed := range uint64(2) {
			r := newRig(t, seed, 3, 2, set)
			rng := rand.New(rand.NewPCG(seed, 22))
			r.place(rng)
			eval := func() float64 { return r.run(t) }
			eval()
			dw, dnn := copied(r.dw), copied(r.dnn)
			var dy []float64
			if r.o.lag() != nil {
				dy = copied(r.o.grads[0])
			}
			name := string(set.Loss) + " " + string(set.Slack)
			checkGradient(t, name+" w", r.w, dw, eval, 1e-4)
			checkGradient(t, name+" w_nn", r.wnn, dnn, eval, 1e-4)
			if r.o.lag() == nil {
				continue
			}
			// Scatter the gradients of the batch to the samples.
			n := r.o.problem.Template.Targets
			all := make([]float64, len(r.o.lag().points))
			for i, sample := range r.batch[:r.o.Full().Samples()] {
				copy(all[sample*n:(sample+1)*n], dy[i*n:])
			}
			checkGradient(t, name+" y", r.o.lag().points, all, eval, 1e-4)
			nonzero := func(x []float64) bool {
				return slices.ContainsFunc(x, func(v float64) bool { return v != 0 })
			}
			if !nonzero(dw) || !nonzero(dnn) || !nonzero(dy) {
				t.Errorf("%s: gradients vanish that should not", name)
			}
		}
	}
}

func TestSettingsErrors(t *testing.T) {
	template, err := lcqp.Compile(randomProgram(rand.New(rand.NewPCG(1, 1)), 6, 4, 4, 12))
	require.NoError(t, err)
	good := Problem{Template: template, Samples: 4, Batch: 2, Label: labelled}
	for want, try := range map[string]func(*Problem, *Settings){
		"no loss":              func(_ *Problem, s *Settings) { s.Loss = "hinge" },
		"prox-weight":          func(_ *Problem, s *Settings) { s.ProxWeight = -1 },
		"y-step":               func(_ *Problem, s *Settings) { s.PointStep = math.NaN() },
		"initial-penalty":      func(_ *Problem, s *Settings) { s.InitialPenalty = 1 },
		"penalty-growth":       func(_ *Problem, s *Settings) { s.PenaltyGrowth = 0.5 },
		"energy-coefficient":   func(_ *Problem, s *Settings) { s.EnergyCoefficient = -1 },
		"ConstraintDraws":      func(_ *Problem, s *Settings) { s.Draws, s.ConstraintDraws = 2, 3 },
		"slack":                func(_ *Problem, s *Settings) { s.Slack = "some" },
		"stationarity":         func(_ *Problem, s *Settings) { s.Stationarity = "stop" },
		"batches of":           func(p *Problem, _ *Settings) { p.Batch = 5 },
		"Template and":         func(p *Problem, _ *Settings) { p.Template = nil },
		"epsilon -1":           func(_ *Problem, s *Settings) { s.Value.Epsilon = -1 },
		"multiplier-factor":    func(_ *Problem, s *Settings) { s.MultiplierFactor = -2 },
		"movement-tolerance":   func(_ *Problem, s *Settings) { s.MovementTolerance = math.Inf(1) },
		"constraint-tolerance": func(_ *Problem, s *Settings) { s.ConstraintTolerance = -1 },
	} {
		p, s := good, Settings{Loss: LossMSE}
		try(&p, &s)
		if _, err := NewObjective(p, s); err == nil || !strings.HasPrefix(err.Error(), "bilevel: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %q", err, want)
		}
	}
	o, err := NewObjective(good, Settings{Loss: LossMSE})
	require.NoError(t, err)
	if err := o.Load([]int{0, 1}); !errors.Is(err, ErrNotStarted) {
		t.Errorf("Load before Start: %v", err)
	}
	if _, err := o.EndEpoch(nil, 0); !errors.Is(err, ErrNotStarted) {
		t.Errorf("EndEpoch before Start: %v", err)
	}
	require.NoError(t, o.Start(make([]float64, 4), [][]int{{0, 1}}, nil))
	assert.ErrorContains(t, o.Load([]int{0, 2}), "sample 2", "Start without sample 2")
}

// TestWeightNodes: two weight nodes of one graph and length keep their own values.
func TestWeightNodes(t *testing.T) {
	g := gorgonia.NewGraph()
	a, b := WeightNode(g, []float64{1, 2}), WeightNode(g, []float64{30, 40})
	sum := gorgonia.Must(gorgonia.Add(a, b))
	require.NoError(t, gorgonia.NewTapeMachine(g).RunAll())
	assert.Equal(t, []float64{31, 42}, sum.Value().Data())
}
