package citation

import (
	"fmt"
	"time"

	"hinge/train"
)

// Try measures what inference finds for the validation papers with the given
// temperature of the network's outputs and rule weights, in the order of the
// rules; the weights are scaled to sum to 1. Score.Parts is the network's own
// accuracy. The model itself is left as it was.
//
// It is for choosing settings by validation labels: no test label is looked at. The
// network is one of its own, trained on the training labels for all of
// Citation.PretrainEpochs: the network of the best epoch on validation papers
// would be too good there for rules to improve on.
func (m *Model) Try(temperature float64, weights []float64) (train.Score, error) {
	total := 0.0
	for _, w := range weights {
		if !(w >= 0) {
			return train.Score{}, fmt.Errorf("citation: rule weight %v", w)
		}
		total += w
	}
	if len(weights) != len(m.Weights()) || !(total > 0) || !(temperature > 0) {
		return train.Score{}, fmt.Errorf("citation: %d rule weights with sum %v for %d rules, temperature %v", len(weights), total, len(m.Weights()), temperature)
	}
	start := time.Now()
	if m.blind == nil {
		var err error
		if m.blind, err = m.net.refit(m.data.Split.Train, OptionsOf(&m.cfg).PretrainEpochs, m.seed()); err != nil {
			return train.Score{}, err
		}
	}
	state, kept := m.blind.net.State(), append([]float64(nil), m.Weights()...)
	before := state.Temperature
	defer func() {
		state.Temperature = before
		copy(m.Weights(), kept)
	}()
	state.Temperature = temperature
	for i, w := range weights {
		m.Weights()[i] = w / total
	}
	return m.infer(m.blind, m.data.Split.Valid, m.data.observed(train.ValidPart), start)
}
