package rules

import (
	"bufio"
	"fmt"

	"hinge/symbolic/rulemining"
)

// writeTable writes rules.tsv: for each rule relation, kind, support, known pairs, confidence, cluster,
// the weights where the tail and where the head is asked and no better rule holds, and text.
func (r *run) writeTable(w *bufio.Writer) error {
	kinds := [...]string{rulemining.Tail: "constant tail", rulemining.Head: "constant head", rulemining.Path: "path"}
	fmt.Fprintln(w, "relation\tkind\tsupport\tknown\tconfidence\tcluster\ttail_weight\thead_weight\trule")
	for _, m := range r.models {
		tail, head := rulemining.Cumulative(m.Weights[0]), rulemining.Cumulative(m.Weights[1])
		for e := range m.All {
			if e.Weight(tail)+e.Weight(head) > 0 {
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.4f\t%d\t%.4f\t%.4f\t%s\n", r.links.names.Relations[m.Relation], kinds[e.Kind], e.Support, e.Known,
					rulemining.Confidence(e.Support, e.Known), e.Cluster, e.Weight(tail), e.Weight(head), r.links.names.Rule(&e))
			}
		}
	}
	return nil
}
