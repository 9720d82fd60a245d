package mnistadd

import (
	"fmt"
	"time"

	"hinge/data/mnist"
	"hinge/train"
)

// Evaluate implements train.Model: MAP inference of the full hinge-loss model
// for every addition of the part; the answer is the sum whose ImageSum atom has
// the largest value, the smaller one on ties.
func (m *Model) Evaluate(part train.Part) (train.Score, error) {
	var adds *mnist.Additions
	switch part {
	case train.TrainPart:
		adds = &m.split.Train
	case train.ValidPart:
		adds = &m.split.Valid
	case train.TestPart:
		adds = &m.split.Test
	default:
		return train.Score{}, fmt.Errorf("mnistadd: no data part %q", part)
	}
	start := time.Now()
	g, err := m.predict(adds)
	if err != nil {
		return train.Score{}, err
	}
	m.answer.ResetStats()
	right := 0
	deep := m.sym.Template.Deep
	chunk := make([]float64, evalSlots*deep)
	for lo := 0; lo < adds.Len(); lo += evalSlots {
		n := min(evalSlots, adds.Len()-lo)
		for i := range chunk {
			// Slots beyond the last addition repeat the chunk's first one.
			j := i
			if i >= n*deep {
				j = i % deep
			}
			chunk[i] = float64(g[lo*deep+j])
		}
		if err := m.answer.Solve(m.weights, chunk); err != nil {
			return train.Score{}, fmt.Errorf("addition %d of part %s: %w", lo, part, err)
		}
		for slot := range n {
			if m.sym.Answer(m.answer.Result(slot).Y) == int(adds.Sums[lo+slot]) {
				right++
			}
		}
	}
	stats := m.answer.Stats()
	return train.Score{
		Accuracy: float64(right) / float64(adds.Len()), Examples: adds.Len(),
		Work: train.Work{
			SolverSeconds: stats.Seconds, NeuralSeconds: time.Since(start).Seconds() - stats.Seconds,
			Solves: stats.Solves, Unsolved: stats.Unsolved,
		},
	}, nil
}

// predict runs the network in evaluation mode: [additions][images][10] outputs.
func (m *Model) predict(adds *mnist.Additions) ([]float32, error) {
	images := make([]float32, len(adds.Images)*mnist.Pixels)
	for i, image := range adds.Images {
		m.part.Image(images[i*mnist.Pixels:(i+1)*mnist.Pixels], int(image))
	}
	m.net.State().Temperature = m.cfg.Neural.TestTemperature
	return m.net.Forward(images, len(adds.Images))
}
