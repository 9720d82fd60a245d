package bilevel

import "fmt"

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
