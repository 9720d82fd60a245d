package rules

import (
	"context"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// fewest is the least number of facts of valid.txt by which weights are chosen.
const fewest = 5

// choose sets the weights of a model for queries of a side to those of highest MRR on valid.txt: the noisy or's or
// those learned with one of the λ. Those learned with the first λ stand where valid.txt does not tell. It records the
// ranks of the answers.
func (r *run) choose(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, o ruleweights.Options, kept *learnedModel) error {
	list, reports, err := ruleweights.Learn(ctx, f, m, side, facts, o)
	if err != nil {
		return err
	}
	list, reports = append([][]float64{m.Weights[side]}, list...), append([]ruleweights.Report{{}}, reports...)
	cumulative := make([][]float64, len(list))
	for i, w := range list {
		m.Weights[side] = w
		cumulative[i] = m.Cumulative(side)
	}
	sums, ranks := make([]evaluate.Ranking, len(list)), make([][]float64, len(list))
	scores, drop := make([]float64, r.graph.Entities), make([]bool, r.graph.Entities)
	var fired rulemining.Fired
	for _, fact := range r.valid[m.Relation] {
		if err := ctx.Err(); err != nil {
			return err
		}
		given, answer := fact.Head, fact.Tail
		if side == 1 {
			given, answer = answer, given
		}
		q := rulemining.Query{Side: side, Given: given, Own: -1}
		f.Fire(m, q, &fired)
		others := r.known[knownKey{m.Relation, side, given}]
		for _, e := range others {
			drop[e] = true
		}
		for i := range list {
			m.Sum(q, cumulative[i], scores, &fired)
			rank := evaluate.Rank(scores, int(answer), drop)
			sums[i].Add(rank)
			ranks[i] = append(ranks[i], rank)
		}
		for _, e := range others {
			drop[e] = false
		}
	}
	best := 1
	if len(r.valid[m.Relation]) >= fewest {
		for i := range sums {
			if sums[i].MRR() > sums[best].MRR() {
				best = i
			}
		}
	}
	m.Weights[side], kept.Report[side] = list[best], reports[best]
	kept.Ranks = append(kept.Ranks, ranks[best]...)
	return nil
}
