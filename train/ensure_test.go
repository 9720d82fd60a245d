package train

import (
	"context"
	"errors"
	"testing"
)

// TestEnsure: an interrupted run goes on, with the result of an uninterrupted one;
// a finished one is only read; that of another configuration is not taken for it.
func TestEnsure(t *testing.T) {
	c := toyConfig()
	whole, err := Run(context.Background(), c, newToy(1), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}

	dir, opened := t.TempDir(), 0
	ctx, cancel := context.WithCancel(context.Background())
	open := func() (Model, error) {
		opened++
		m := newToy(1)
		if opened == 1 {
			m.afterStep = func(step int) {
				if step == 12 {
					cancel()
				}
			}
		}
		return m, nil
	}
	if _, err := Ensure(ctx, c, open, Options{Dir: dir}); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("got %v, want an interruption", err)
	}
	for range 2 {
		res, err := Ensure(context.Background(), c, open, Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if res.TestAccuracy != whole.TestAccuracy || res.Steps != whole.Steps {
			t.Errorf("got %+v, want %+v", res, whole)
		}
	}
	if opened != 2 {
		t.Errorf("the model was made %d times, want 2: the result was there", opened)
	}

	changed := c
	changed.Neural.LearningRate /= 2
	var refused *ConfigChangedError
	if _, err := Ensure(context.Background(), changed, open, Options{Dir: dir}); !errors.As(err, &refused) {
		t.Errorf("another configuration: got %v", err)
	}
	broken := errors.New("no data")
	if _, err := Ensure(context.Background(), c, func() (Model, error) { return nil, broken }, Options{Dir: t.TempDir()}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of open", err)
	}
}
