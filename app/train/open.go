package train

import (
	"context"
	"fmt"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// Open returns the settings of a run folder and its model with the tested weights in place,
// for programs that apply the model. data is the data root; each element of set is a KEY=VALUE
// that replaces a setting of the run. Warnings go to standard error.
func Open(tasks []learning.Task, dir, data string, set ...string) (config.Config, learning.Model, error) {
	o := &options{dir: dir, data: data, log: "text", eval: true}
	var changes []change
	for _, text := range set {
		c, err := newChange(text)
		if err != nil {
			return config.Config{}, nil, &config.UsageError{Key: "set", Problem: fmt.Sprintf("%q: %v", text, err)}
		}
		changes = append(changes, c)
	}
	if err := o.resolve(tasks, changes, nil, ""); err != nil {
		return config.Config{}, nil, err
	}
	model, err := o.tested()
	return o.config, model, err
}

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
