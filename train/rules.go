package train

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Rule is what a run says about one rule.
type Rule struct {
	// Text is the rule as written.
	Text string `json:"rule"`
	// Weight is w_r on the unit simplex.
	Weight float64 `json:"weight"`
	// Satisfaction is 1 minus the mean of the rule's potentials over its
	// groundings, with the labels fixed, in the last step: 1 is never broken.
	Satisfaction float64 `json:"satisfaction"`
	// Gradient is the derivative of the loss for the weight in the last step.
	Gradient float64 `json:"gradient"`
}

// RuleReporter is implemented by models that can tell how their rules fare.
// Validation records and the result then hold the table.
type RuleReporter interface {
	// Rules returns one entry a rule, as of the last step; nil before the first.
	Rules() []Rule
}

// WriteRules prints the table for people.
func WriteRules(w io.Writer, rules []Rule) error {
	if len(rules) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "weight\tsatisfaction\tgradient\t  rule")
	for _, r := range rules {
		fmt.Fprintf(t, "%.4f\t%.4f\t%.2g\t  %s\n", r.Weight, r.Satisfaction, r.Gradient, r.Text)
	}
	return t.Flush()
}
