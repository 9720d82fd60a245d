package learning

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// Rule is a rule with its figures in the report of a run.
type Rule struct {
	// Text is the rule as written.
	Text string `json:"rule"`
	// Start is w_r when learning began, Weight its current value, in results the tested one, both on
	// the unit simplex.
	// Tables of earlier versions have no Start.
	Start  float64 `json:"start,omitempty"`
	Weight float64 `json:"weight"`
	// Satisfaction is 1 minus the mean of the rule's potentials over its
	// groundings, with the labels fixed, in the last step: 1 is never broken.
	Satisfaction float64 `json:"satisfaction"`
	// Active is the share of the groundings that are broken or hold with nothing to spare (see
	// bilevel.Objective.Satisfaction), ActiveSatisfaction the satisfaction of these alone.
	// Both are nil if they are not known; ActiveSatisfaction is 1 if no grounding is active.
	Active             *float64 `json:"active,omitempty"`
	ActiveSatisfaction float64  `json:"active_satisfaction,omitempty"`
	// Gradient is the derivative of the loss for the weight in the last step.
	Gradient float64 `json:"gradient"`
}

// leastMove is how far a weight on the simplex moves if learning changes the rules to speak of.
const leastMove = 1e-3

// Unmoved reports whether there are several rules, and no weight is further than leastMove from where
// it began.
func Unmoved(rules []Rule) bool {
	return len(rules) > 1 && !slices.ContainsFunc(rules, func(r Rule) bool { return r.Start == 0 || math.Abs(r.Weight-r.Start) > leastMove })
}

// WriteRules prints a table of the rules with the weights at the start and the tested ones, which may be
// of an earlier step than the other figures. Of frozen weights, and of runs of an earlier version, it has
// the weights alone.
func WriteRules(w io.Writer, rules []Rule) error {
	if len(rules) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	moved := slices.ContainsFunc(rules, func(r Rule) bool { return r.Start > 0 && r.Start != r.Weight })
	began := func(text string) {
		if moved {
			fmt.Fprint(t, text, "\t")
		}
	}
	began("start")
	fmt.Fprintln(t, "weight\tsatisfaction\tactive\tof active\tgradient\t  rule")
	for _, r := range rules {
		share, of := "", ""
		if r.Active != nil {
			share, of = fmt.Sprintf("%.4f", *r.Active), fmt.Sprintf("%.4f", r.ActiveSatisfaction)
		}
		began(fmt.Sprintf("%.4f", r.Start))
		fmt.Fprintf(t, "%.4f\t%.4f\t%s\t%s\t%.2g\t  %s\n", r.Weight, r.Satisfaction, share, of, r.Gradient, r.Text)
	}
	return t.Flush()
}
