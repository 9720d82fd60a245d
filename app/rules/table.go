package rules

import (
	"fmt"
	"io"

	"hinge/symbolic/rulemining"
)

// writeTable writes rules.tsv: for each rule relation, kind, support, known pairs, confidence, cluster,
// the weights of the cluster at the rule's level where the tail and where the head is asked, and text.
func (r *run) writeTable() error {
	names := &r.links.names
	return r.write("rules.tsv", func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "relation\tkind\tsupport\tknown\tconfidence\tcluster\ttail_weight\thead_weight\trule"); err != nil {
			return err
		}
		for _, m := range r.models {
			tail, head := m.Cumulative(0), m.Cumulative(1)
			var failed error
			m.Each(func(e *rulemining.Evidence) {
				text, support, known := r.rule(m, e)
				kind := [...]string{rulemining.Tail: "constant tail", rulemining.Head: "constant head", rulemining.Path: "path"}[e.Kind]
				x := int(e.Cluster)*len(rulemining.Levels) + int(e.Level)
				if tail[x]+head[x] == 0 || failed != nil {
					return
				}
				_, failed = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.4f\t%d\t%.4f\t%.4f\t%s\n", names.Relations[m.Relation], kind, support, known,
					rulemining.Confidence(support, known, m.Penalty), e.Cluster, tail[x], head[x], text)
			})
			if failed != nil {
				return failed
			}
		}
		return nil
	})
}
