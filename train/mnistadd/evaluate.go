package mnistadd

import (
	"fmt"
	"time"

	"hinge/symbolic/infer"
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
	err = m.infer(g, adds.Len(), func(a int, r *infer.Result) {
		if answers[a] = int64(m.sym.Answer(r.Y)); answers[a] == adds.Sums[a] {
			right++
		}
	})
	if err != nil {
		return train.Score{}, fmt.Errorf("part %s: %w", part, err)
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

// infer solves n additions, given their outputs one after the other, and hands each
// result to a function while it lasts.
func (m *Model) infer(g []float32, n int, each func(addition int, r *infer.Result)) error {
	deep := m.sym.Template.Deep
	chunk := make([]float64, evalSlots*deep)
	for lo := 0; lo < n; lo += evalSlots {
		used := min(evalSlots, n-lo)
		for i := range chunk {
			// Slots beyond the last addition repeat the chunk's first one.
			j := i
			if i >= used*deep {
				j = i % deep
			}
			chunk[i] = float64(g[lo*deep+j])
		}
		if err := m.answer.Solve(m.Weights(), chunk); err != nil {
			return fmt.Errorf("addition %d and following: %w", lo, err)
		}
		for slot := range used {
			each(lo+slot, m.answer.Result(slot))
		}
	}
	return nil
}
