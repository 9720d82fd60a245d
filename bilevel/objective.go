package bilevel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/optim/collective"
	"hinge/symbolic/lcqp"
)

// Problem is the learning problem: P samples of one structure.
type Problem struct {
	// Template is the LCQP of one sample. Where samples have LCQPs of their own, with the
	// same weighted rules, Templates lists them, and Template is any with these rules. A
	// loss that solves nothing needs none, and no Label.
	Template  *lcqp.Template
	Templates []*lcqp.Template
	// Samples is P, Batch how many of them a step sees; zero means all.
	Samples, Batch int
	// Label fixes the labels t_i of a sample on its latent problem, which comes
	// with all targets free. What stays free is latent: z_i.
	Label func(sample int, latent *lcqp.Instance) error
	// Rows, if not nil, returns the numbers of classes of a sample's neural outputs, which are
	// distributions one after the other, for losses of classes (Kind.Rows).
	Rows func(sample int) []int
	// Importance, if not nil, writes how much the label of each target of a sample
	// counts in LossAnswer; nil means 1 each.
	Importance func(sample int, weights []float64)
}

// checkRows reports neural outputs that are not rows of classes.
func (p *Problem) checkRows(loss LossName) error {
	if p.Rows == nil {
		return fmt.Errorf("bilevel: the loss %s wants samples whose neural outputs all are rows of classes (Problem.Rows)", loss)
	}
	for sample := range p.Samples {
		deep := 0
		for _, classes := range p.Rows(sample) {
			deep += classes
		}
		if n := p.template(sample).Deep; deep != n {
			return fmt.Errorf("bilevel: the loss %s: sample %d has rows of %d classes (Problem.Rows) for %d neural outputs", loss, sample, deep, n)
		}
	}
	return nil
}

// Objective is a learning loss over a set of training samples, with everything
// it remembers about each of them: points y_i, slacks, multipliers and solver
// states. It is the paper's algorithm except for the steps on w_sy and w_nn, which
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
	latent  solver // of V_{z*}; LossAnswer solves it for Satisfaction alone; nil where nothing is solved
	loss    Loss
	own     []solver // further value functions of the loss, besides V_{z*}
	spent   Stats    // work of the loss outside the value functions

	parts  collective.Parts // of the samples
	labels []int            // sample whose labels each latent slot holds, −1 none
	batch  []int            // loaded
	grads  gorgonia.Nodes   // of the loss's inputs
}

// ErrOtherRows reports saved states of programs with other rows, as earlier versions or other data ground them.
var ErrOtherRows = errors.New("bilevel: saved states of other programs")

// ErrNotStarted reports that a bilevel loss was used before Start or SetState.
var ErrNotStarted = errors.New("bilevel: the objective has not been started")

// NewObjective checks the settings and makes the value functions the loss
// needs.
func NewObjective(p Problem, set Settings) (*Objective, error) {
	set, err := set.resolve()
	if err != nil {
		return nil, err
	}
	if set.Loss.Kind().Solves && (p.Template == nil || p.Label == nil) {
		return nil, errors.New("bilevel: a Problem needs a Template and a Label function")
	}
	if p.Templates != nil && len(p.Templates) != p.Samples {
		return nil, fmt.Errorf("bilevel: %d programs for %d samples", len(p.Templates), p.Samples)
	}
	if set.Loss.Kind().Rows {
		if err := p.checkRows(set.Loss); err != nil {
			return nil, err
		}
	}
	p.Batch = cmp.Or(p.Batch, p.Samples)
	if p.Batch < 1 || p.Batch > p.Samples {
		return nil, fmt.Errorf("bilevel: batches of %d of %d samples", p.Batch, p.Samples)
	}
	o := &Objective{problem: p, set: set}
	if kind := set.Loss.Kind(); kind.Solves {
		if o.latent.ValueFunction, err = o.newValue(set.Draws, p.Batch, set.ColdLatent); err != nil {
			return nil, err
		}
		if !set.ColdLatent {
			o.latent.states = newBank("latent", &o.problem)
		}
		o.labels = slices.Repeat([]int{-1}, o.latent.labels())
	}
	if o.loss, err = newLoss(o); err != nil {
		return nil, err
	}
	return o, nil
}

// Problem returns the learning problem, with the batch size filled in.
func (o *Objective) Problem() Problem { return o.problem }

// Settings returns the settings with their defaults filled in.
func (o *Objective) Settings() Settings { return o.set }

// Latent returns the value function of V_{z*}, whose labels are fixed; nil for a loss that
// solves nothing.
func (o *Objective) Latent() *ValueFunction { return o.latent.ValueFunction }

// solvers lists what solves.
func (o *Objective) solvers() []solver {
	if o.latent.ValueFunction == nil {
		return o.own
	}
	return append([]solver{o.latent}, o.own...)
}

// Stats returns the work of all value functions since the last ResetStats, and the work that
// the loss has Spent.
func (o *Objective) Stats() Stats {
	sum := o.spent
	for _, f := range o.solvers() {
		sum.Add(f.Stats())
	}
	return sum
}

// ResetStats sets the counters to zero.
func (o *Objective) ResetStats() {
	o.spent = Stats{}
	for _, f := range o.solvers() {
		f.ResetStats()
	}
}

// Spent adds time that a loss takes outside the value functions.
func (o *Objective) Spent(t time.Duration) { o.spent.Seconds += t.Seconds() }

// Loss adds the loss of a batch to the graph of its arguments: a float64 scalar
// to be minimised in w and g. w and g are as for ValueFunction.Value, with
// Batch·Draws slots.
//
// The caller must differentiate it by Inputs too and hand the gradient nodes to
// Differentiated. Loss is called once.
func (o *Objective) Loss(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	loss, err := o.loss.Express(w, g)
	if err == nil && o.set.Factor != 1 {
		loss, err = gorgonia.Mul(loss, gorgonia.NewConstant(o.set.Factor))
	}
	return loss, err
}

// WeightNode makes the input node of the rule weights w_sy over w, the caller's storage:
// values written there count from the next run on.
func WeightNode(g *gorgonia.ExprGraph, w []float64) *gorgonia.Node { return leaf(g, "w_sy", w) }

// leaf makes an input node over x, numbered: gorgonia takes inputs of one name and shape for
// one node.
func leaf(g *gorgonia.ExprGraph, name string, x []float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(numbered(name)), gorgonia.WithShape(len(x)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))))
}

// Inputs returns the loss's own variables in the graph, y; none for the
// value-based losses.
func (o *Objective) Inputs() gorgonia.Nodes { return o.loss.Inputs() }

// Differentiated tells the objective the gradient nodes of Inputs.
func (o *Objective) Differentiated(grads gorgonia.Nodes) { o.grads = grads }

// Satisfaction writes, for each rule, 1 minus the mean of its potentials over
// its groundings in the latent problems of the last batch: 1 is a rule the
// labels never break. active is the share of its groundings that are broken or
// hold with nothing to spare, NaN where that is not known, and 1 − (1 − satisfaction)/active
// is the satisfaction of these. The lengths are Rules.
func (o *Objective) Satisfaction(out, active []float64) {
	for r := range active {
		active[r] = math.NaN()
	}
	if o.loss.Satisfaction(out) || o.latent.ValueFunction == nil {
		return
	}
	ones := slices.Repeat([]float64{1}, o.latent.Samples())
	o.latent.WeightGradient(ones, out)
	groundings := make([]float64, len(out))
	for slot := range ones {
		t := o.latent.insts[slot].Template
		for _, r := range t.RuleOf[t.Constraints:] {
			groundings[r]++
		}
	}
	Satisfaction(groundings, out)
	if o.latent.deep == nil {
		return // nothing has been solved yet
	}
	clear(active)
	o.latent.active(active)
	for r := range active {
		active[r] /= max(groundings[r], 1)
	}
}

// Spread returns ValueFunction.Spread of the latent problems of the last batch, 0 of a loss that
// solves nothing.
func (o *Objective) Spread() float64 {
	if o.latent.ValueFunction == nil {
		return 0
	}
	return o.latent.Spread()
}

// Satisfaction turns phi, which is Φ, into satisfactions: 1 minus the mean of a rule's potentials
// over its groundings, of which the numbers are given, and 1 for a rule without any.
func Satisfaction(groundings, phi []float64) {
	for r, v := range phi {
		phi[r] = 1
		if groundings[r] > 0 {
			phi[r] -= v / groundings[r]
		}
	}
}

// Started reports whether a bilevel loss has its starting points; always true for
// the others.
func (o *Objective) Started() bool { return o.loss.Started() }
