package rules

import (
	"fmt"
	"io"

	"hinge/symbolic/rulemining"
)

// writeTable writes rules.tsv: for each rule relation, kind, support, known pairs, confidence, cluster,
// weight of the cluster at the rule's level, and text.
func (r *run) writeTable() error {
	names := &r.links.names
	return r.write("rules.tsv", func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "relation\tkind\tsupport\tknown\tconfidence\tcluster\tweight\trule"); err != nil {
			return err
		}
		for _, m := range r.models {
			cumulative := m.Cumulative()
			var failed error
			m.Each(func(e *rulemining.Evidence) {
				text, support, known := r.rule(m, e)
				kind := [...]string{rulemining.Tail: "constant tail", rulemining.Head: "constant head", rulemining.Path: "path"}[e.Kind]
				weight := cumulative[int(e.Cluster)*len(rulemining.Levels)+int(e.Level)]
				if weight == 0 || failed != nil {
					return
				}
				_, failed = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.4f\t%d\t%.4f\t%s\n", names.Relations[m.Relation], kind, support, known,
					rulemining.Confidence(support, known, m.Penalty), e.Cluster, weight, text)
			})
			if failed != nil {
				return failed
			}
		}
		return nil
	})
}
