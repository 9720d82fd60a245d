package infer

import (
	"fmt"
	"io"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/symbolic/psl"
)

// begun counts the components on which auto has begun with a method. If that did not end,
// another approach has followed.
type begun struct {
	Approach   infer.Approach `json:"approach"`
	Components int            `json:"components"`
	// PredictedS are the seconds that the table of costs predicts for all of them on one thread
	// of the machine that it was measured on; left out where nothing is predicted.
	PredictedS float64 `json:"predicted_s,omitempty"`
}

// begun returns what was begun with, in the order of the approaches; nil for other methods.
func (r *report) begun() (list []begun) {
	for a := range infer.Approaches {
		b := begun{Approach: a}
		for i := range r.Components {
			if c := &r.Components[i].Choice; c.Approach == a && a != infer.ByCost {
				b.Components++
				b.PredictedS += c.Seconds
			}
		}
		if b.Components > 0 {
			list = append(list, b)
		}
	}
	return list
}

// writeBegun prints it for people.
func writeBegun(w io.Writer, list []begun) {
	for _, b := range list {
		fmt.Fprintf(w, "begun      %s: %s", b.Approach, psl.Count(b.Components, "component"))
		if b.PredictedS > 0 {
			fmt.Fprintf(w, ", predicted %s of one thread", cli.Seconds(b.PredictedS))
		}
		fmt.Fprintln(w)
	}
}
