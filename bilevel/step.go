package bilevel

import (
	"errors"
	"fmt"
	"slices"

	"hinge/symbolic/lcqp"
)

// Start sets the starting points of a bilevel loss (paper, lines 1 and 2 of the
// algorithm): y_i = (t_i, z*_i), the labels and the latent minimiser, and
// ι = max_i M_i − V_i at the weights w. It does nothing for the other losses.
//
// batches lists all samples that are learned from, at most Problem.Batch in each; with
// ConstraintBatch they must be the batches of the epochs. With a shared objective they are this rank's batches.
// g returns the neural outputs of a batch
// without noise, one run of Deep numbers a sample; nil without a network.
func (o *Objective) Start(w []float64, batches [][]int, g func(batch []int) ([]float64, error)) error {
	return o.loss.Start(w, batches, g)
}

// Load makes the next run of the graph one over these samples: their labels,
// points, slacks, multipliers and solver states. len(batch) is Problem.Batch, unless the loss is
// a task's own (Settings.New), which may take others.
func (o *Objective) Load(batch []int) error {
	if len(batch) != o.problem.Batch && o.set.New == nil {
		return fmt.Errorf("bilevel: a batch of %d samples, want %d", len(batch), o.problem.Batch)
	}
	if !o.Started() {
		return ErrNotStarted
	}
	o.batch = append(o.batch[:0], batch...)
	if o.problem.Templates != nil {
		for _, s := range o.solvers() {
			if err := s.use(func(i int) *lcqp.Template { return o.problem.Templates[o.batch[i]] }); err != nil {
				return err
			}
		}
	}
	if err := o.loadLabels(); err != nil {
		return err
	}
	for _, s := range o.warm() {
		s.states.load(s.ValueFunction, o.batch[:s.Samples()])
	}
	return o.loss.Load(o.batch)
}

// Relabel makes the next Load ask for the labels of its samples anew, where what
// Problem.Label fixes has changed since.
func (o *Objective) Relabel() {
	for slot := range o.labels {
		o.labels[slot] = -1
	}
}

// loadLabels fixes the labels on the latent slots whose sample has changed.
func (o *Objective) loadLabels() error {
	for slot := range o.labels {
		sample := o.batch[slot%len(o.batch)]
		if o.labels[slot] == sample {
			continue
		}
		o.labels[slot] = -1
		if err := o.label(sample, o.latent.ValueFunction, slot); err != nil {
			return err
		}
		o.labels[slot] = sample
	}
	return nil
}

// label fixes the labels of a sample on a slot.
func (o *Objective) label(sample int, f *ValueFunction, slot int) error {
	in := f.Instance(slot)
	in.FreeAll()
	if err := o.problem.Label(sample, in); err != nil {
		return fmt.Errorf("bilevel: labels of sample %d: %w", sample, err)
	}
	return nil
}

// warm lists the solvers that remember where the last solve of a sample ended.
func (o *Objective) warm() []solver {
	return slices.DeleteFunc(o.solvers(), func(s solver) bool { return s.states == nil })
}

// Step ends a step after the graph has run: it keeps the solver states, takes
// the projected gradient step on the points of the batch and
// returns the terms of the loss at the point before. w is w_sy before its own
// update and dw the gradient of the loss for it, nil where w_sy is not learned
// and thus no part of the stationarity measure.
func (o *Objective) Step(w, dw []float64) (Terms, error) {
	if len(o.grads) != len(o.Inputs()) {
		return Terms{}, errors.New("bilevel: Step without the gradient nodes of Inputs; see Differentiated")
	}
	for _, s := range o.warm() {
		s.states.store(s.ValueFunction, o.batch[:s.Samples()])
	}
	return o.loss.Step(w, dw, o.grads)
}

// EndEpoch ends an epoch with the weights w_sy it has led to: every
// Lagrangian.TestEvery epochs it tests the stop criteria of the inner problem and
// updates multipliers, penalty or relaxation. neural is the norm of the
// gradient of the loss for w_nn, which StationarityGradient wants (0 without a
// network). The value-based losses have nothing to do here.
func (o *Objective) EndEpoch(w []float64, neural float64) (Outcome, error) {
	if !o.Started() {
		return Outcome{}, ErrNotStarted
	}
	return o.loss.EndEpoch(w, neural)
}
