package rules

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
)

// mostAsked bounds the facts of valid.txt that clusters of a relation are judged by.
const mostAsked = 200

// writeAdds writes adds.tsv: of each relation the heaviest clusters of rules without constants, with the first
// rule of each in words, and by how much the MRR on the relation's facts in valid.txt is lower without the cluster.
func (r *run) writeAdds(ctx context.Context, k known) error {
	return r.write("adds.tsv", func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "relation\tqueries\tmrr\tweight\tadds\trule"); err != nil {
			return err
		}
		f := rulemining.NewFirer(r.graph)
		for _, m := range r.models {
			valid := pick(r.valid[m.Relation], mostAsked)
			if len(valid) == 0 {
				continue
			}
			heaviest := heavy(m, r.adds)
			without, err := r.without(ctx, f, m, valid, heaviest, k)
			if err != nil {
				return err
			}
			for i, c := range heaviest {
				p := &m.Rules.Paths[m.Clusters[c].Paths[0]]
				if _, err := fmt.Fprintf(w, "%s\t%d\t%.4f\t%.3f\t%+.4f\t%s\n", r.links.names.Relations[m.Relation], 2*len(valid),
					without[0], weight(m, c), without[0]-without[i+1], r.links.names.Path(m.Relation, p)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// weight returns the weight that the rule of highest confidence of a cluster of path rules has, the mean of both sides.
func weight(m *rulemining.Model, cluster int32) float64 {
	x := int(cluster)*len(rulemining.Levels) + m.Top(cluster)
	return (m.Cumulative(0)[x] + m.Cumulative(1)[x]) / 2
}

// heavy returns the n clusters of path rules of largest weight.
func heavy(m *rulemining.Model, n int) []int32 {
	var list []int32
	for c := range int32(len(m.Clusters)) {
		if m.Clusters[c].Kind == rulemining.Path {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(weight(m, b), weight(m, a)) })
	return list[:min(n, len(list))]
}

// without returns the MRR of a model, and then the MRR without each of some clusters.
func (r *run) without(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, facts []rulemining.Triple, clusters []int32, k known) ([]float64, error) {
	sums := make([]evaluate.Ranking, len(clusters)+1)
	scores, drop := make([]float64, r.graph.Entities), make([]bool, r.graph.Entities)
	cumulative := [2][]float64{m.Cumulative(0), m.Cumulative(1)}
	place := map[int32]int{}
	for i, c := range clusters {
		place[c] = i
	}
	var fired rulemining.Fired
	for _, fact := range facts {
		for side, given := range [2]int32{fact.Head, fact.Tail} {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			answer := fact.Tail
			if side == 1 {
				answer = fact.Head
			}
			f.Score(m, rulemining.Query{Side: side, Given: given, Own: -1}, cumulative[side], scores, &fired)
			less := make([]map[int32]float64, len(clusters))
			for i, e := range fired.Entities {
				for _, x := range fired.Of(i) {
					if j, ok := place[x/int32(len(rulemining.Levels))]; ok {
						if less[j] == nil {
							less[j] = map[int32]float64{}
						}
						less[j][e] = cumulative[side][x]
					}
				}
			}
			others := k[knownKey{fact.Relation, side, given}]
			for _, e := range others {
				drop[e] = true
			}
			whole := evaluate.Rank(scores, int(answer), drop)
			sums[0].Add(whole)
			for j := range clusters {
				if less[j] == nil {
					sums[j+1].Add(whole)
					continue
				}
				before := make(map[int32]float64, len(less[j]))
				for e, s := range less[j] {
					before[e] = scores[e]
					scores[e] -= s
				}
				sums[j+1].Add(evaluate.Rank(scores, int(answer), drop))
				for e, s := range before {
					scores[e] = s
				}
			}
			for _, e := range others {
				drop[e] = false
			}
		}
	}
	out := make([]float64, len(sums))
	for i := range sums {
		out[i] = sums[i].MRR()
	}
	return out, nil
}
