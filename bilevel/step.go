package bilevel

import (
	"errors"
	"fmt"

	"hinge/optim"
)

// Load makes the next run of the graph one over these samples: their labels,
// points, slacks, multipliers and solver states. len(batch) is Problem.Batch.
func (o *Objective) Load(batch []int) error {
	if len(batch) != o.problem.Batch {
		return fmt.Errorf("bilevel: a batch of %d samples, want %d", len(batch), o.problem.Batch)
	}
	if o.set.Loss.Bilevel() && !o.outer.started {
		return ErrNotStarted
	}
	o.batch = append(o.batch[:0], batch...)
	if err := o.loadLabels(); err != nil {
		return err
	}
	for _, b := range o.banks() {
		b.bank.load(b.f, o.batch[:b.f.Samples()])
	}
	if o.lag == nil {
		return nil
	}
	n := o.problem.Template.Targets
	for i, sample := range o.batch[:o.constrained] {
		copy(o.y[i*n:(i+1)*n], o.points[sample*n:])
		o.s[i], o.lag.lambda[i] = o.slacks[sample], o.multipliers[sample]
		o.lag.labelled[i] = o.latent.Instance(i)
	}
	o.lag.penalty, o.lag.iota = o.outer.penalty, o.outer.iota
	return nil
}

// loadLabels fixes the labels on the latent slots whose sample has changed.
func (o *Objective) loadLabels() error {
	for slot := range o.labels {
		sample := o.batch[slot%len(o.batch)]
		if o.labels[slot] == sample {
			continue
		}
		in := o.latent.Instance(slot)
		in.FreeAll()
		o.labels[slot] = -1
		if err := o.problem.Label(sample, in); err != nil {
			return fmt.Errorf("bilevel: labels of sample %d: %w", sample, err)
		}
		o.labels[slot] = sample
	}
	return nil
}

// banks pairs the warm states with the value functions they belong to.
func (o *Objective) banks() []banked {
	var out []banked
	for _, b := range []banked{{o.warmLatent, o.latent}, {o.warmFull, o.full}, {o.warmAugmented, o.augmented}} {
		if b.bank != nil {
			out = append(out, b)
		}
	}
	return out
}

type banked struct {
	bank *bank
	f    *ValueFunction
}

// Step ends a step after the graph has run: it keeps the solver states, takes
// the projected gradient step on the points (and slacks) of the batch and
// returns the terms of the loss at the point before. w is w_sy before its own
// update and dw the gradient of the loss for it, nil where w_sy is not learned
// and thus no part of the stationarity measure.
func (o *Objective) Step(w, dw []float64) (Terms, error) {
	for _, b := range o.banks() {
		b.bank.store(b.f, o.batch[:b.f.Samples()])
	}
	if o.lag == nil {
		t := Terms{Samples: len(o.batch)}
		for _, v := range o.latent.Values() {
			t.Energy += v
		}
		if o.full != nil {
			for _, v := range o.full.Values() {
				t.Energy -= o.share() * v
			}
		}
		t.Lagrangian = t.Energy
		o.record(t)
		return t, nil
	}
	if len(o.grads) != len(o.leaves) {
		return Terms{}, errors.New("bilevel: Step without the gradient nodes of Inputs; see Differentiated")
	}
	dy, err := float64s(o.grads[0].Value())
	if err != nil {
		return Terms{}, err
	}
	ds, err := float64s(o.grads[1].Value())
	if err != nil {
		return Terms{}, err
	}
	o.outer.meet(w, dw, o.lag.scale())
	o.move(dy, ds)
	o.record(o.lag.terms)
	return o.lag.terms, nil
}

// move takes the steps on y and s. The derivatives are those of the scaled loss;
// every sample steps along those of its own term.
func (o *Objective) move(dy, ds []float64) {
	n, scale := o.problem.Template.Targets, o.lag.scale()*o.lag.share()
	for k := range dy {
		dy[k] /= scale
	}
	for i, sample := range o.batch[:o.constrained] {
		y, d := o.points[sample*n:(sample+1)*n], dy[i*n:(i+1)*n]
		o.outer.points(optim.BoxResidual(y, d), optim.BoxStep(y, d, o.pointStep(i)))
		o.gaps[sample] = o.lag.gap[i]
		o.seeOutputs(sample, i)
	}
	for j := range o.constraints() {
		sample := o.batch[j]
		s, d := o.s[j], ds[j]/scale
		o.outer.slack(s - max(0, s-d))
		o.slacks[sample] = o.lag.slack[j]
		if o.set.Slack == SlackStep {
			o.slacks[sample] = max(0, s-o.set.SlackStepSize*d)
		}
		o.residuals[sample], o.fresh[sample] = o.lag.residual[j], 1
	}
}

// pointStep is the step size of the point in slot i: the configured one, but no
// larger than the inverse of the curvature the penalty has there, q/ρ +
// μ‖∇M‖², beyond which a gradient step overshoots. It matters once μ is large.
func (o *Objective) pointStep(i int) float64 {
	q := o.lag.dMoreau[i] / (o.lag.scale() * o.lag.share())
	n, draws := o.problem.Template.Targets, o.set.ConstraintDraws
	square := 0.0
	for j := range n {
		d := 0.0
		for k := range draws {
			slot := k*o.constrained + i
			d += o.augmented.share[slot] * o.augmented.dy[slot*n+j]
		}
		square += d * d
	}
	curvature := max(q, -q)/o.set.Rho + o.outer.penalty*square
	return min(o.set.PointStep, 1/curvature)
}

// constraints is the number of constraints of a batch.
func (o *Objective) constraints() int {
	if o.set.PerBatch {
		return 1
	}
	return o.constrained
}

// seeOutputs measures how far the neural outputs of a sample have moved since
// its last visit.
func (o *Objective) seeOutputs(sample, slot int) {
	if o.outputs == nil {
		return
	}
	n, p, draws := o.problem.Template.Deep, o.constrained, o.set.ConstraintDraws
	kept := o.outputs[sample*n : (sample+1)*n]
	moved := 0.0
	for j := range kept {
		mean := 0.0
		for k := range draws {
			mean += o.full.deep[(k*p+slot)*n+j]
		}
		mean /= float64(draws)
		moved += (mean - kept[j]) * (mean - kept[j])
		kept[j] = mean
	}
	if o.visited[sample] == 0 {
		o.visited[sample] = 1
		return
	}
	o.outer.outputs(moved / float64(n))
}

func (o *Objective) record(t Terms) {
	if r := o.set.Recorder; r != nil {
		r.Step(t)
	}
}
