package checkpoint

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Dir returns the store's folder.
func (s *Store) Dir() string { return s.dir }

// Steps returns the steps of the checkpoints in the store, ascending, damaged
// ones included.
func (s *Store) Steps() ([]int64, error) {
	list, err := s.folders()
	if err != nil {
		return nil, err
	}
	var steps []int64
	for _, f := range slices.Backward(list) {
		steps = append(steps, f.step)
	}
	return slices.Compact(steps), nil
}

// Load returns the checkpoint of a step. The error is ErrNone where there is
// none, and otherwise says what is damaged.
func (s *Store) Load(step int64) (*Checkpoint, error) {
	list, err := s.folders()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(f folder) bool { return f.step == step })
	if i < 0 {
		return nil, fmt.Errorf("%w of step %d in %s", ErrNone, step, s.dir)
	}
	c, err := s.load(list[i])
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", filepath.Join(s.dir, list[i].name), err)
	}
	return c, nil
}
