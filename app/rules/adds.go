package rules

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
)

// mostAsked bounds the facts of valid.txt that clusters of a relation are judged by.
const mostAsked = 200

// writeAdds writes adds.tsv: of each relation the heaviest clusters of rules without constants, with the first
// rule of each in words, and by how much the MRR on the relation's facts in valid.txt is lower without the cluster.
func (r *run) writeAdds(ctx context.Context, out *bufio.Writer) error {
	fmt.Fprintln(out, "relation\tqueries\tmrr\tweight\tadds\trule")
	tables := make([]strings.Builder, len(r.models))
	err := r.each(ctx, "what rules add", func(ctx context.Context, f *rulemining.Firer, relation int32) error {
		return r.relationAdds(ctx, f, r.models[relation], &tables[relation])
	})
	for i := range tables {
		fmt.Fprint(out, tables[i].String())
	}
	return err
}

// relationAdds writes the lines of a relation.
func (r *run) relationAdds(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, out io.Writer) error {
	valid := pick(r.valid[m.Relation], mostAsked)
	if len(valid) == 0 {
		return nil
	}
	// The first rule of a cluster is the one of highest confidence.
	var first []rulemining.Evidence
	seen := map[int32]bool{}
	for e := range m.All {
		if e.Kind == rulemining.Path && !seen[e.Cluster] {
			seen[e.Cluster], first = true, append(first, e)
		}
	}
	cumulative := [2][]float64{rulemining.Cumulative(m.Weights[0]), rulemining.Cumulative(m.Weights[1])}
	weight := func(e *rulemining.Evidence) float64 { return (e.Weight(cumulative[0]) + e.Weight(cumulative[1])) / 2 }
	slices.SortStableFunc(first, func(a, b rulemining.Evidence) int { return cmp.Compare(weight(&b), weight(&a)) })
	first = first[:min(r.adds, len(first))]
	sums := make([]evaluate.Ranking, len(first)+1)
	for side := range 2 {
		ranks, err := r.ranks(ctx, f, m, side, valid, len(sums), func(i int, scores []float64) {
			if i > 0 {
				f.Gather(m, first[i-1].Cluster)
			}
			f.Scores(m, side, cumulative[side], scores)
		})
		if err != nil {
			return err
		}
		for i := range sums {
			sums[i] = append(sums[i], ranks[i]...)
		}
	}
	for i := range first {
		fmt.Fprintf(out, "%s\t%d\t%.4f\t%.3f\t%+.4f\t%s\n", r.links.names.Relations[m.Relation], 2*len(valid), sums[0].MRR(),
			weight(&first[i]), sums[0].MRR()-sums[i+1].MRR(), r.links.names.Rule(&first[i]))
	}
	return nil
}
