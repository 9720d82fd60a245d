package bilevel

import (
	"errors"
	"fmt"

	"hinge/optim/collective"
)

// Array is a named array of an Objective's state.
type Array struct {
	Name  string
	Shape []int
	Data  []float64
}

// State returns everything the objective remembers, to be saved between two
// steps: the solver states of every loss, and of the bilevel losses points,
// slacks, multipliers, the sums of the current epoch and the scalars ι, μ, ω,
// σ. A restored objective goes on bit for bit.
func (o *Objective) State() []Array {
	var out []Array
	for _, s := range o.warm() {
		out = append(out, s.states.arrays()...)
	}
	return append(out, o.loss.Arrays()...)
}

// SetState copies a saved state in. get returns the array of a name; one that
// is missing or of another length is an error.
func (o *Objective) SetState(get func(name string) ([]float64, error)) error {
	for _, s := range o.warm() {
		if err := s.states.restore(get, o.parts.Has); err != nil {
			return err
		}
	}
	arrays := o.loss.Arrays()
	for _, a := range arrays {
		data, err := get(a.Name)
		if err != nil {
			return err
		}
		if len(data) != len(a.Data) {
			return fmt.Errorf("bilevel: array %s has %d elements, want %d", a.Name, len(data), len(a.Data))
		}
		copy(a.Data, data)
	}
	o.loss.Restored(arrays)
	return nil
}

// Share assigns the samples to parts, which several ranks may hold. Each Load then has
// Problem.Batch samples of one part, and a rank keeps the state of its own samples. Sums over
// an epoch are kept by part and added in the order of the parts when the epoch ends, so that
// the same parts give the same bits on any number of ranks. Call Share before Start, SetState
// and the first Load. Start and EndEpoch are then collectives.
//
// One constraint a batch (ConstraintBatch) becomes one for each part of a batch.
func (o *Objective) Share(p collective.Parts) error {
	if o.batch != nil || o.loss.Started() && len(o.Inputs()) > 0 {
		return fmt.Errorf("bilevel: Share after the first Load")
	}
	if o.problem.Templates != nil && p.N() > 1 {
		return errors.New("bilevel: samples with programs of their own cannot be dealt to parts")
	}
	o.parts = p
	o.loss.Share(p.N())
	return nil
}

// Whole calls f while State on rank 0 covers the samples of all ranks, and returns f's error.
// All ranks must call it. At other times each rank has only the solver states of its own
// samples.
func (o *Objective) Whole(f func() error) error {
	p := o.parts
	if p.Ranks() == 1 {
		return f()
	}
	for _, s := range o.warm() {
		if err := s.states.collect(p); err != nil {
			return err
		}
	}
	if err := o.loss.Collect(); err != nil {
		return err
	}
	err := f()
	for _, s := range o.warm() {
		s.states.keep(p.Has)
	}
	return err
}

// collect brings the states of all ranks to rank 0.
func (b *bank) collect(p collective.Parts) error {
	var all [3][][]float64 // as arrays has them, by rank
	for k, a := range b.arrays() {
		var err error
		if all[k], err = p.ToFirst(a.Data); err != nil {
			return err
		}
	}
	for r := 1; r < p.Ranks(); r++ {
		b.put(all[0][r], all[1][r], all[2][r])
	}
	return nil
}

// keep forgets the states of the samples that has does not have.
func (b *bank) keep(has func(sample int) bool) {
	for i := range b.states {
		if !has(i) {
			b.states[i].Dual, b.states[i].Y = nil, nil
		}
	}
}
