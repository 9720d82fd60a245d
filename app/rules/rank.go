package rules

import (
	"context"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// ranks asks for one end of facts of a model's relation and returns, for each of some lists of weights, the filtered
// ranks of the true answers.
func (r *run) ranks(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, weights ...[]float64) ([]evaluate.Ranking, error) {
	out, cumulative := make([]evaluate.Ranking, len(weights)), make([][]float64, len(weights))
	for i, w := range weights {
		cumulative[i] = rulemining.Cumulative(w)
	}
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
		for i := range weights {
			f.Scores(m, side, cumulative[i], scores)
			out[i] = append(out[i], evaluate.Rank(scores, int(answer), drop))
		}
		for _, e := range others {
			drop[e] = false
		}
	}
	return out, nil
}

// fewest is the least number of facts of valid.txt by which weights are chosen.
const fewest = 5

// choose sets the weights of a model for queries of a side to those of highest MRR on valid.txt: the noisy or's or
// those learned with one of the λ. Those learned with the first λ stand where valid.txt does not tell, and the noisy
// or's where there are no facts to learn from. It records the ranks of the answers.
func (r *run) choose(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, kept *learnedModel) error {
	list, weights := []ruleweights.Learned{{Weights: m.Weights[side]}}, [][]float64{m.Weights[side]}
	best := 0
	if len(facts) > 0 {
		learned, err := ruleweights.Learn(ctx, f, m, side, facts, r.record.Options)
		if err != nil {
			return err
		}
		best = 1
		for _, l := range learned {
			list, weights = append(list, l), append(weights, l.Weights)
		}
	}
	valid := r.valid[m.Relation]
	ranks, err := r.ranks(ctx, f, m, side, valid, weights...)
	if err != nil {
		return err
	}
	if len(valid) >= fewest {
		for i := range ranks {
			if ranks[i].MRR() > ranks[best].MRR() {
				best = i
			}
		}
	}
	m.Weights[side], kept.Weights[side] = list[best].Weights, list[best].Weights
	kept.Value, kept.Gap = kept.Value+list[best].Value, kept.Gap+list[best].Gap
	kept.Ranks = append(kept.Ranks, ranks[best]...)
	return nil
}
