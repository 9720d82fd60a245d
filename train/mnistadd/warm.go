package mnistadd

import (
	"fmt"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/checkpoint"
)

// warmStore remembers, for each training addition, the solver state its MAP
// problem ended in. The K samples of an addition differ by noise only, so all
// start from one state, and the first sample's end state is kept.
//
// Latent problems need none: with the labels fixed nothing or one number is
// left to find.
type warmStore struct {
	rows, targets int
	states        []infer.Warm
}

func (s *warmStore) init(additions int, t *lcqp.Template) {
	s.rows, s.targets = t.Rows(), t.Targets
	s.states = make([]infer.Warm, additions)
}

// load puts the states of the examples into the slots, sample after sample.
func (s *warmStore) load(f *bilevel.ValueFunction, examples []int) {
	for slot := range f.Slots() {
		from, to := &s.states[examples[slot%len(examples)]], f.Warm(slot)
		to.Dual = append(to.Dual[:0], from.Dual...)
		to.Y = append(to.Y[:0], from.Y...)
	}
}

// store keeps the states of the first sample.
func (s *warmStore) store(f *bilevel.ValueFunction, examples []int) {
	for slot, e := range examples {
		from, to := f.Warm(slot), &s.states[e]
		to.Dual = append(to.Dual[:0], from.Dual...)
		to.Y = append(to.Y[:0], from.Y...)
	}
}

// Names of the tensors of a checkpoint.
const (
	tensorWarmSeen = "solver/map.additions"
	tensorWarmDual = "solver/map.dual"
	tensorWarmY    = "solver/map.y"
)

// tensors returns the states that exist: their additions, duals and points.
func (s *warmStore) tensors() []checkpoint.Tensor {
	seen, dual, y := []int64{}, []float64{}, []float64{}
	for i, w := range s.states {
		if len(w.Dual) > 0 {
			seen = append(seen, int64(i))
			dual = append(dual, w.Dual...)
			y = append(y, w.Y...)
		}
	}
	return []checkpoint.Tensor{
		checkpoint.NewTensor(tensorWarmSeen, seen),
		checkpoint.NewTensor(tensorWarmDual, dual, len(seen), s.rows),
		checkpoint.NewTensor(tensorWarmY, y, len(seen), s.targets),
	}
}

// restore is the inverse of tensors.
func (s *warmStore) restore(get func(name string) (checkpoint.Tensor, error)) error {
	seen, err := data[int64](get, tensorWarmSeen)
	if err != nil {
		return err
	}
	dual, err := data[float64](get, tensorWarmDual)
	if err != nil {
		return err
	}
	y, err := data[float64](get, tensorWarmY)
	if err != nil {
		return err
	}
	if len(dual) != len(seen)*s.rows || len(y) != len(seen)*s.targets {
		return fmt.Errorf("mnistadd: %d solver states with %d duals and %d values, want %d and %d each",
			len(seen), len(dual), len(y), s.rows, s.targets)
	}
	for k, i := range seen {
		if i < 0 || int(i) >= len(s.states) {
			return fmt.Errorf("mnistadd: solver state of addition %d, there are %d", i, len(s.states))
		}
		s.states[i] = infer.Warm{
			Dual: append([]float64(nil), dual[k*s.rows:(k+1)*s.rows]...),
			Y:    append([]float64(nil), y[k*s.targets:(k+1)*s.targets]...),
		}
	}
	return nil
}

func data[T checkpoint.Element](get func(name string) (checkpoint.Tensor, error), name string) ([]T, error) {
	t, err := get(name)
	if err != nil {
		return nil, err
	}
	d, ok := t.Data.([]T)
	if !ok {
		return nil, fmt.Errorf("mnistadd: tensor %q holds %T", name, t.Data)
	}
	return d, nil
}
