package rules

import (
	"context"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// ranks asks for one end of facts of a model's relation and returns, for each of n ways to score the answers to the query that was
// fired last, the filtered ranks of the true ones.
func (r *run) ranks(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, n int, score func(i int, scores []float64)) ([]evaluate.Ranking, error) {
	out := make([]evaluate.Ranking, n)
	scores, drop := make([]float64, r.graph.Entities), make([]bool, r.graph.Entities)
	for _, fact := range facts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		given, answer := fact.Ends(side)
		f.Fire(m, rulemining.Query{Side: side, Given: given, Own: -1})
		others := r.known.Near(given, rulemining.Forward(m.Relation)^rulemining.Step(side))
		for _, e := range others {
			drop[e] = true
		}
		for i := range out {
			score(i, scores)
			out[i] = append(out[i], evaluate.Rank(scores, int(answer), drop))
		}
		for _, e := range others {
			drop[e] = false
		}
	}
	return out, nil
}

// weigh sets the weights of a model for queries of a side, and records the ranks of the answers on valid.txt. Weights are learned from
// valid.txt, too, and each half of it is ranked by weights that are learned without that half.
func (r *run) weigh(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, kept *learnedModel) error {
	var halves, held [2][]rulemining.Triple
	for i, fact := range r.valid[m.Relation] {
		halves[i%2] = append(halves[i%2], fact)
	}
	for i := range halves {
		held[i] = pick(halves[i], r.record.Options.Facts)
	}
	learned, err := ruleweights.Learn(ctx, f, m, side, facts, held, r.record.Options)
	if err != nil {
		return err
	}
	for half, valid := range halves {
		ranks, err := r.ranks(ctx, f, m, side, valid, 1, scoresBy(f, m, side, learned[half].Weights))
		if err != nil {
			return err
		}
		kept.Ranks = append(kept.Ranks, ranks[0]...)
	}
	all := learned[2]
	m.Weights[side], kept.Weights[side] = all.Weights, all.Weights
	kept.Value, kept.Gap = kept.Value+all.Value, kept.Gap+all.Gap
	return nil
}

// scoresBy returns what scores the answers to the query of a side that was fired last by some weights.
func scoresBy(f *rulemining.Firer, m *rulemining.Model, side int, weights []float64) func(i int, scores []float64) {
	cumulative := rulemining.Cumulative(weights)
	return func(_ int, scores []float64) { f.Scores(m, side, cumulative, scores) }
}
