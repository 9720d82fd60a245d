package bilevel

import (
	"errors"
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Problem says what is learned from: P samples of one structure.
type Problem struct {
	// Template is the LCQP of one sample.
	Template *lcqp.Template
	// Samples is P, Batch how many of them a step sees; zero means all.
	Samples, Batch int
	// Label fixes the labels t_i of a sample on its latent problem, which comes
	// with all targets free. What stays free is latent: z_i.
	Label func(sample int, latent *lcqp.Instance) error
}

// Objective is a learning loss over a set of training samples, with everything
// it remembers about each of them: points y_i, slacks, multipliers and solver
// states. It is the paper's algorithm but for the steps on w_sy and w_nn, which
// belong to the caller. One step is
//
//	o.Load(batch)           // the samples of this step
//	run the graph           // forward and backward through o.Loss
//	o.Step(w, dw)           // the step on y and s, records
//	update w_sy and w_nn
//
// and after the last step of an epoch o.EndEpoch(w, norm).
type Objective struct {
	problem Problem
	set     Settings

	latent, full, augmented *ValueFunction
	warmLatent, warmFull    *bank
	warmAugmented           *bank

	lag    *lagrangian
	y, s   []float64      // graph leaves
	leaves gorgonia.Nodes // y, s
	grads  gorgonia.Nodes // of leaves
	batch  []int          // loaded; the first constrained of them have a constraint
	labels []int          // sample whose labels each latent slot holds, −1 none

	constrained int       // samples of a batch
	points      []float64 // y, one run a sample
	slacks      []float64
	multipliers []float64
	residuals   []float64 // c + s at the last visit
	fresh       []float64 // 1 if that was since the last step on the multiplier
	gaps        []float64 // M − V at the last visit
	outputs     []float64 // g at the last visit, mean over the draws
	visited     []float64 // 1 once outputs are set
	outer       outer
}

// ErrNotStarted tells that a bilevel loss was used before Start or SetState.
var ErrNotStarted = errors.New("bilevel: the objective has not been started")

// NewObjective checks the settings and makes the value functions the loss
// needs.
func NewObjective(p Problem, set Settings) (*Objective, error) {
	set, err := set.resolve()
	if err != nil {
		return nil, err
	}
	if p.Template == nil || p.Label == nil {
		return nil, errors.New("bilevel: a Problem needs a Template and a Label function")
	}
	if p.Batch == 0 {
		p.Batch = p.Samples
	}
	if p.Batch < 1 || p.Batch > p.Samples {
		return nil, fmt.Errorf("bilevel: batches of %d of %d samples", p.Batch, p.Samples)
	}
	o := &Objective{problem: p, set: set}
	if o.latent, err = o.newValue(set.Draws, p.Batch, set.ColdLatent); err != nil {
		return nil, err
	}
	o.labels = make([]int, o.latent.Slots())
	for i := range o.labels {
		o.labels[i] = -1
	}
	if !set.ColdLatent {
		o.warmLatent = o.newBank("latent", o.latent)
	}
	if set.Loss == LossEnergy {
		return o, nil
	}
	o.constrained = p.Batch
	if set.ConstraintSamples > 0 {
		o.constrained = min(set.ConstraintSamples, p.Batch)
	}
	if o.full, err = o.newValue(set.ConstraintDraws, o.constrained, false); err != nil {
		return nil, err
	}
	o.warmFull = o.newBank("map", o.full)
	if !set.Loss.Bilevel() {
		return o, nil
	}
	if o.augmented, err = o.newValue(set.ConstraintDraws, o.constrained, false); err != nil {
		return nil, err
	}
	o.warmAugmented = o.newBank("augmented", o.augmented)
	o.initBilevel()
	return o, nil
}

// newValue makes a value function of the first draws of the first samples of a
// batch.
func (o *Objective) newValue(draws, samples int, condition bool) (*ValueFunction, error) {
	opt := o.set.Value
	opt.Draws, opt.Condition = draws, condition
	opt.Prefix = draws*samples < o.set.Draws*o.problem.Batch
	return New(o.problem.Template, draws*samples, opt)
}

func (o *Objective) newBank(name string, f *ValueFunction) *bank {
	for slot := range f.Slots() {
		f.Bind(slot, new(infer.Warm))
	}
	return newBank(name, o.problem.Samples, o.problem.Template)
}

func (o *Objective) initBilevel() {
	t, p, n := o.problem.Template, o.problem.Samples, o.constrained
	o.lag = newLagrangian(&o.set, o.problem.Batch, n, t.Targets)
	o.y, o.s = make([]float64, n*t.Targets), make([]float64, n)
	o.points, o.slacks = make([]float64, p*t.Targets), make([]float64, p)
	o.residuals, o.gaps = make([]float64, p), make([]float64, p)
	o.multipliers, o.fresh = make([]float64, p), make([]float64, p)
	if o.set.Stationarity == StationarityMovement && t.Deep > 0 {
		o.outputs, o.visited = make([]float64, p*t.Deep), make([]float64, p)
	}
	o.outer.weights = make([]float64, t.Rules)
	o.outer.gradient = make([]float64, t.Rules)
}

// Problem returns what is learned from, with the batch size filled in.
func (o *Objective) Problem() Problem { return o.problem }

// Settings returns the settings with their defaults filled in.
func (o *Objective) Settings() Settings { return o.set }

// Latent returns the value function of V_{z*}, whose labels are fixed.
func (o *Objective) Latent() *ValueFunction { return o.latent }

// Full returns the value function of V; nil for the energy loss.
func (o *Objective) Full() *ValueFunction { return o.full }

// Augmented returns the value function of M; nil for the value-based losses.
func (o *Objective) Augmented() *ValueFunction { return o.augmented }

// Stats returns the work of all value functions since the last ResetStats.
func (o *Objective) Stats() Stats {
	var sum Stats
	for _, f := range o.functions() {
		sum.add(f.Stats())
	}
	return sum
}

// ResetStats sets the counters to zero.
func (o *Objective) ResetStats() {
	for _, f := range o.functions() {
		f.ResetStats()
	}
}

// functions lists what solves.
func (o *Objective) functions() []*ValueFunction {
	var out []*ValueFunction
	for _, f := range []*ValueFunction{o.latent, o.full, o.augmented} {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// Loss adds the loss of a batch to the graph of its arguments: a float64 scalar
// to be minimised in w and g, the mean over the batch or, with Settings.Sum, the
// sum. w and g are as for ValueFunction.Value, with Batch·Draws slots.
//
// The caller must differentiate it by Inputs too and hand the gradient nodes to
// Differentiated. Loss is called once.
func (o *Objective) Loss(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	latent, err := o.latent.Value(w, g)
	if err != nil {
		return nil, err
	}
	if o.set.Loss == LossEnergy {
		return reduce(latent, o.set.Sum)
	}
	full, err := o.full.Value(w, g)
	if err != nil {
		return nil, err
	}
	if o.set.Loss == LossSP {
		share := 1.0
		if o.set.Sum {
			share = o.share()
		}
		return perceptron(latent, full, o.set.Sum, share)
	}
	y, s := leaf(w.Graph(), "y", o.y), leaf(w.Graph(), "s", o.s)
	rho := gorgonia.NewScalar(w.Graph(), tensor.Float64, gorgonia.WithName("rho"), gorgonia.WithValue(o.set.Rho))
	moreau, err := o.augmented.Moreau(w, g, y, rho)
	if err != nil {
		return nil, err
	}
	o.leaves = gorgonia.Nodes{y, s}
	l := o.lag
	return applyScalar("L", l.eval, [][]float64{l.dLatent, l.dFull, l.dMoreau, l.dY, l.dS},
		latent, full, moreau, y, s)
}

// WeightNode makes the input node of the rule weights w_sy over w, the caller's own
// storage: what is written there counts from the next run on.
func WeightNode(g *gorgonia.ExprGraph, w []float64) *gorgonia.Node { return leaf(g, "w_sy", w) }

// leaf makes an input node over x.
func leaf(g *gorgonia.ExprGraph, name string, x []float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(x)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))))
}

// Inputs returns the loss's own variables in the graph, y and s; none for the
// value-based losses.
func (o *Objective) Inputs() gorgonia.Nodes { return o.leaves }

// Differentiated tells the objective the gradient nodes of Inputs.
func (o *Objective) Differentiated(grads gorgonia.Nodes) { o.grads = grads }

// share is how many samples of a batch one that is solved without labels stands for.
func (o *Objective) share() float64 { return float64(o.problem.Batch) / float64(o.constrained) }

// Satisfaction writes, for each rule, 1 minus the mean of its potentials over
// its groundings in the latent problems of the last batch: 1 is a rule the
// labels never break. len(out) is Rules.
func (o *Objective) Satisfaction(out []float64) {
	t, ones := o.problem.Template, make([]float64, o.latent.Samples())
	for i := range ones {
		ones[i] = 1
	}
	o.latent.WeightGradient(ones, out)
	Satisfaction(t, out, len(ones))
}

// Satisfaction turns phi, Φ summed over that many samples, into satisfactions: 1
// minus the mean of a rule's potentials over its groundings, 1 for a rule without
// any. len(phi) is Rules.
func Satisfaction(t *lcqp.Template, phi []float64, samples int) {
	groundings := make([]float64, t.Rules)
	for _, r := range t.RuleOf[t.Constraints:] {
		groundings[r]++
	}
	for r, v := range phi {
		phi[r] = 1
		if groundings[r] > 0 {
			phi[r] -= v / (groundings[r] * float64(samples))
		}
	}
}

// Point returns y_i of a sample, of a bilevel loss. The slice is the
// objective's own.
func (o *Objective) Point(sample int) []float64 {
	n := o.problem.Template.Targets
	return o.points[sample*n : (sample+1)*n]
}

// Multiplier returns λ_i of a sample, of a bilevel loss; with PerBatch that of
// a batch is kept with its first sample.
func (o *Objective) Multiplier(sample int) float64 { return o.multipliers[sample] }

// Slack returns s_i of a sample, of a bilevel loss.
func (o *Objective) Slack(sample int) float64 { return o.slacks[sample] }
