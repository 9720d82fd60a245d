package rules

import (
	"bufio"
	"fmt"

	"hinge/symbolic/rulemining"
)

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
					e.Confidence, e.Cluster, weights[0], weights[1], r.links.names.Rule(&e))
			}
		}
	}
	return nil
}
