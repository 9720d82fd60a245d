package modelfile

import (
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/train"
	"hinge/train/checkpoint"
)

// labelsAlone is the loss of the networks' own labels, without that of the rules, whose
// weights stay.
type labelsAlone struct {
	pass     *pass[float32]
	w, zeros []float64
}

func (m *Model) labelsAlone(*nn.Graph[float32]) (train.Loss, error) {
	w, err := train.StartWeights(m.learn.template)
	if err != nil {
		return nil, err
	}
	return &labelsAlone{m.examples.pass, w, make([]float64, len(w))}, m.examples.pass.compile()
}

func (l *labelsAlone) Weights() []float64        { return l.w }
func (l *labelsAlone) WeightGradient() []float64 { return l.zeros }

// Step implements train.Loss.
func (l *labelsAlone) Step(_ []int, _, pass func() error) (train.Work, error) {
	start := time.Now()
	err := pass()
	return train.Work{Loss: l.pass.extra, NeuralSeconds: time.Since(start).Seconds()}, err
}

// Satisfaction implements train.Loss: no rule was looked at.
func (l *labelsAlone) Satisfaction(out []float64) { clear(out) }

// EndEpoch implements train.Loss.
func (l *labelsAlone) EndEpoch(float64) (bilevel.Outcome, error) {
	return bilevel.Outcome{Action: bilevel.Continue}, nil
}

// Warm and SetWarm implement train.Loss: nothing is remembered.
func (l *labelsAlone) Warm() []checkpoint.Tensor                                  { return nil }
func (l *labelsAlone) SetWarm(func(name string) (checkpoint.Tensor, error)) error { return nil }

var _ train.Loss = (*labelsAlone)(nil)
