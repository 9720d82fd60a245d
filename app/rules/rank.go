package rules

import (
	"context"

	"gonum.org/v1/gonum/stat"

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

// weigh sets the weights of a model for queries of a side to the first ones of ruleweights.Learn, or to those of another kind
// where that has a clearly higher MRR on valid.txt. It records the ranks of the answers. Weights are learned from
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
	kinds := learned[2]
	ranks := make([]evaluate.Ranking, len(kinds))
	for half, valid := range halves {
		var cumulative [][]float64
		for _, l := range learned[half] {
			cumulative = append(cumulative, rulemining.Cumulative(l.Weights))
		}
		list, err := r.ranks(ctx, f, m, side, valid, len(kinds), func(i int, scores []float64) { f.Scores(m, side, cumulative[i], scores) })
		if err != nil {
			return err
		}
		for i := range ranks {
			ranks[i] = append(ranks[i], list[i]...)
		}
	}
	best := 0
	for i := range ranks {
		if ahead(ranks[i], ranks[0]) && ranks[i].MRR() > ranks[best].MRR() {
			best = i
		}
	}
	m.Weights[side], kept.Weights[side] = kinds[best].Weights, kinds[best].Weights
	kept.Value, kept.Gap = kept.Value+kinds[best].Value, kept.Gap+kinds[best].Gap
	kept.Ranks = append(kept.Ranks, ranks[best]...)
	return nil
}

// ahead reports whether the mean of the reciprocal ranks a is above that of b by more than twice the standard error of the difference.
func ahead(a, b evaluate.Ranking) bool {
	if len(a) < 2 {
		return false
	}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = 1/a[i] - 1/b[i]
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	return mean > 2*stat.StdErr(deviation, float64(len(d)))
}
