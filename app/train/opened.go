package train

import (
	"context"

	"hinge/train"
	"hinge/train/learning"
)

// unread is the error of a run that a signal ends while it reads its data and rules, which may take long. There is
// nothing to keep.
type unread struct{}

func (unread) Error() string {
	return "interrupted while data and rules were read"
}

func (unread) Is(err error) bool { return err == train.ErrInterrupted }

// opened calls open, and returns unread where ctx ends before it does.
func opened(ctx context.Context, open func() (learning.Model, error)) (learning.Model, error) {
	type result struct {
		model learning.Model
		err   error
	}
	done := make(chan result, 1)
	go func() {
		model, err := open()
		done <- result{model, err}
	}()
	select {
	case r := <-done:
		return r.model, r.err
	case <-ctx.Done():
		return nil, unread{}
	}
}
