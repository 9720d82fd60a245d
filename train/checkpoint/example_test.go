package checkpoint_test

import (
	"errors"
	"fmt"
	"os"

	"hinge/train/checkpoint"
)

// A training loop that survives being stopped: it goes on from the newest good
// checkpoint, or starts afresh.
func Example() {
	dir, err := os.MkdirTemp("", "checkpoint-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	type state struct {
		Step int64
		Seed uint64
	}
	train := func(until int64) error {
		store, err := checkpoint.Open(dir, checkpoint.Options{Keep: 2})
		if err != nil {
			return err
		}
		s, w := state{Seed: 1}, []float32{0, 0}
		c, err := store.Latest(func(name string, err error) { fmt.Println("skipping", name, err) })
		switch {
		case errors.Is(err, checkpoint.ErrNone):
			fmt.Println("starting afresh")
		case err != nil:
			return err
		default:
			if err := errors.Join(c.State(&s), checkpoint.Read(c, "w", w)); err != nil {
				return err
			}
			fmt.Println("going on from step", s.Step, "with", w)
		}
		for s.Step < until {
			s.Step++
			w[0] += 0.5
			if s.Step%10 == 0 {
				if err := store.Save(s.Step, s, []checkpoint.Tensor{checkpoint.NewTensor("w", w)}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := train(25); err != nil {
		fmt.Println(err)
	}
	if err := train(40); err != nil {
		fmt.Println(err)
	}
	// Output:
	// starting afresh
	// going on from step 20 with [10 0]
}
