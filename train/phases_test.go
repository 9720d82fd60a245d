package train

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/bilevel"
	"hinge/train/learning"
)

// ender is a toy that ends the run after some epochs.
type ender struct {
	*toy
	epochs, last int
	norms        []float64
}

func (e *ender) Loss() learning.LossHalf { return e }

func (e *ender) EndEpoch(norm float64) (bilevel.Outcome, error) {
	e.epochs++
	e.norms = append(e.norms, norm)
	if e.epochs > 5 {
		return bilevel.Outcome{}, errors.New("past the end")
	}
	return bilevel.Outcome{Epoch: e.epochs, Tested: e.epochs > 1, Done: e.epochs == e.last}, nil
}

func (e *ender) Rules() []learning.Rule {
	return []learning.Rule{{Text: "a", Weight: e.w[0], Satisfaction: 0.5, Gradient: e.dw[0]}, {Text: "b", Weight: e.w[1]}}
}

// TestEpochEnder: the model hears of the end of every epoch, its outcome is
// recorded, and it can end the run, for good.
func TestEpochEnder(t *testing.T) {
	dir := t.TempDir()
	c := toyConfig() // 3 steps an epoch
	c.Training.ValidEvery = 100
	m := &ender{toy: newToy(1), last: 4}
	res := ran(t, c, m, Options{Dir: dir})
	if res.Steps != 12 || m.epochs != 4 || slices.Contains(m.norms, 0) {
		t.Errorf("%d steps, %d epochs, norms %v; want 12 steps of 4 epochs", res.Steps, m.epochs, m.norms)
	}
	outcomes, valid := 0, 0
	for _, line := range metrics(t, dir) {
		if line.Outcome != nil {
			outcomes++
			assert.Equalf(t, 0, line.Step%3, "an outcome at step %d", line.Step)
		}
		if line.Split == learning.ValidPart {
			valid++
			if line.Step != 12 || len(line.Rules) != 2 || line.Rules[0].Satisfaction != 0.5 {
				t.Errorf("validation %+v", line)
			}
		}
	}
	if outcomes != 3 || valid != 1 {
		t.Errorf("%d outcomes and %d validations recorded, want 3 and 1", outcomes, valid)
	}
	if len(res.Rules) != 2 || res.Rules[1].Text != "b" {
		t.Errorf("rules in the result: %+v", res.Rules)
	}
	// The end is part of the state: there is nothing to go on with.
	again := &ender{toy: newToy(1), last: 4}
	if res := ran(t, c, again, Options{Dir: dir, Resume: true}); res.Steps != 12 || again.epochs != 0 {
		t.Errorf("resumed to step %d after %d epochs", res.Steps, again.epochs)
	}
	failing := &ender{toy: newToy(1), epochs: 5}
	_, err := Run(context.Background(), c, failing, Options{Dir: t.TempDir()})
	assert.ErrorContains(t, err, "past the end")
}
