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

// fewest is the least number of facts of valid.txt by which weights are chosen.
const fewest = 5

// choose sets the weights of a model for queries of a side to those of ruleweights.Learn of the kind that has the highest MRR on
// valid.txt, and to the first where valid.txt does not tell. It records the ranks of the answers. Weights are learned from valid.txt, too, and
// each half of it is ranked by weights that are learned without that half.
func (r *run) choose(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, kept *learnedModel) error {
	var halves, held [2][]rulemining.Triple
	for i, fact := range r.valid[m.Relation] {
		halves[i%2] = append(halves[i%2], fact)
	}
	for i := range halves {
		held[i] = pick(halves[i], r.record.Options.Facts)
	}
	all, err := ruleweights.Learn(ctx, f, m, side, facts, held, r.record.Options)
	if err != nil {
		return err
	}
	learned, best := all[2], 0
	ranks := make([]evaluate.Ranking, len(learned))
	for half, valid := range halves {
		var cumulative [][]float64
		for _, l := range all[half] {
			cumulative = append(cumulative, rulemining.Cumulative(l.Weights))
		}
		list, err := r.ranks(ctx, f, m, side, valid, len(learned), func(i int, scores []float64) { f.Scores(m, side, cumulative[i], scores) })
		if err != nil {
			return err
		}
		for i := range list {
			ranks[i] = append(ranks[i], list[i]...)
		}
	}
	if len(r.valid[m.Relation]) >= fewest {
		for i := range ranks {
			if ranks[i].MRR() > ranks[best].MRR() {
				best = i
			}
		}
	}
	m.Weights[side], kept.Weights[side] = learned[best].Weights, learned[best].Weights
	kept.Value, kept.Gap = kept.Value+learned[best].Value, kept.Gap+learned[best].Gap
	kept.Ranks = append(kept.Ranks, ranks[best]...)
	return nil
}
