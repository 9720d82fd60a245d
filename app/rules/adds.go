package rules

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"hinge/app/cli"
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
	// A cluster is worth what its rule of highest level is, for tails and for heads asked.
	type top struct {
		rule   rulemining.Evidence
		weight [2]float64
	}
	cumulative := [2][]float64{rulemining.Cumulative(m.Weights[0]), rulemining.Cumulative(m.Weights[1])}
	var first []*top
	of := map[int32]*top{}
	for e := range m.All {
		if e.Kind != rulemining.Path {
			continue
		}
		t := of[e.Cluster]
		if t == nil {
			t = &top{rule: e}
			of[e.Cluster], first = t, append(first, t)
		}
		if c := cmp.Or(cmp.Compare(e.Level, t.rule.Level), cmp.Compare(t.rule.Side, e.Side)); c > 0 {
			t.rule = e
		}
		t.weight[e.Side] = max(t.weight[e.Side], e.Weight(cumulative[e.Side]))
	}
	weight := func(t *top) float64 { return (t.weight[0] + t.weight[1]) / 2 }
	slices.SortStableFunc(first, func(a, b *top) int { return cmp.Compare(weight(b), weight(a)) })
	first = first[:min(r.adds, len(first))]
	sums, whole := make([]evaluate.Ranking, len(first)+1), make([]float64, r.graph.Entities)
	for side := range 2 {
		ranks, err := r.ranks(ctx, f, m, side, valid, len(sums), func(i int, scores []float64) {
			if i == 0 {
				f.Scores(m, side, cumulative[side], whole)
			}
			copy(scores, whole)
			if i > 0 {
				f.Without(m, side, cumulative[side], scores, first[i-1].rule.Cluster)
			}
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
			weight(first[i]), sums[0].MRR()-sums[i+1].MRR(), r.links.names.Rule(&first[i].rule))
	}
	return nil
}

// writeTable writes rules.tsv: for each rule relation, kind, support, known pairs, confidence, cluster,
// the weights where the tail and where the head is asked and no better rule holds, and text. A line of a path rule is about one end and has no weight for the other.
func (r *run) writeTable(w *bufio.Writer) error {
	kinds := [...]string{rulemining.Tail: "constant tail", rulemining.Head: "constant head", rulemining.Path: "path"}
	fmt.Fprintln(w, "relation\tkind\tsupport\tknown\tconfidence\tcluster\ttail_weight\thead_weight\trule")
	for _, m := range r.models {
		tail, head := rulemining.Cumulative(m.Weights[0]), rulemining.Cumulative(m.Weights[1])
		for e := range m.All {
			weights := [2]float64{e.Weight(tail), e.Weight(head)}
			if e.Kind == rulemining.Path {
				weights[1-e.Side] = 0
			}
			if weights[0]+weights[1] > 0 {
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.4f\t%d\t%.4f\t%.4f\t%s\n", r.links.names.Relations[m.Relation], kinds[e.Kind], e.Support, e.Known,
					e.Confidence, e.Cluster, weights[0], weights[1], cli.OneField.Replace(r.links.names.Rule(&e)))
			}
		}
	}
	return nil
}
