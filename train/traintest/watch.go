package traintest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// Observer is a train.Observer that calls the functions it has.
type Observer struct {
	OnStart func(p train.Plan)
	OnStep  func(step int)
	OnNote  func(text string)
}

// Start calls OnStart.
func (o Observer) Start(p train.Plan) {
	if o.OnStart != nil {
		o.OnStart(p)
	}
}

// Step calls OnStep.
func (o Observer) Step(step int, _ record.Metric) {
	if o.OnStep != nil {
		o.OnStep(step)
	}
}

// Note calls OnNote.
func (o Observer) Note(text string) {
	if o.OnNote != nil {
		o.OnNote(text)
	}
}

// Valid does nothing, nor does Done.
func (Observer) Valid(int, record.Metric, train.Fate) {}
func (Observer) Done()                                {}

// Run is train.Run, and fails the test where that fails.
func Run(t testing.TB, cfg config.Config, m learning.Model, opt train.Options) record.Result {
	t.Helper()
	res, err := train.Run(context.Background(), cfg, m, opt)
	require.NoError(t, err)
	return res
}

// RunUntil interrupts a run after a step.
func RunUntil(t testing.TB, step int, cfg config.Config, m learning.Model, opt train.Options) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	opt.Observer = Observer{OnStep: func(n int) {
		if n == step {
			stop()
		}
	}}
	_, err := train.Run(ctx, cfg, m, opt)
	require.ErrorIs(t, err, train.ErrInterrupted)
}
