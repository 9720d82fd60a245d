package mnistadd

import (
	"fmt"
	"time"

	"hinge/train"
)

// Evaluate implements train.Model: MAP inference of the full hinge-loss model
// for every addition of the part; the answer is the sum whose ImageSum atom has
// the largest value, the smaller one on ties.
func (m *Model) Evaluate(part train.Part) (train.Score, error) {
	adds, err := m.additions(part)
	if err != nil {
		return train.Score{}, err
	}
	start := time.Now()
	g, err := m.predict(adds, m.views(part))
	if err != nil {
		return train.Score{}, err
	}
	m.answer.ResetStats()
	right, answers := 0, make([]int64, adds.Len())
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
		if err := m.answer.Solve(m.Weights(), chunk); err != nil {
			return train.Score{}, fmt.Errorf("addition %d of part %s: %w", lo, part, err)
		}
		for slot := range n {
			answers[lo+slot] = int64(m.sym.Answer(m.answer.Result(slot).Y))
			if answers[lo+slot] == adds.Sums[lo+slot] {
				right++
			}
		}
	}
	m.remember(part, adds, g, answers)
	stats := m.answer.Stats()
	return train.Score{
		Accuracy: float64(right) / float64(adds.Len()), Examples: adds.Len(),
		Digits: m.digits(adds, g),
		Work: train.Work{
			SolverSeconds: stats.Seconds, NeuralSeconds: time.Since(start).Seconds() - stats.Seconds,
			Solves: adds.Len(), Unsolved: stats.Unsolved, // repeated slots are no answers
		},
	}, nil
}
