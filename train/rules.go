package train

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"hinge/symbolic/lcqp"
)

// Rule is what a run says about one rule.
type Rule struct {
	// Text is the rule as written.
	Text string `json:"rule"`
	// Start is w_r where learning began, Weight what it is now, both on the unit simplex.
	// Tables of earlier versions have no Start.
	Start  float64 `json:"start,omitempty"`
	Weight float64 `json:"weight"`
	// Satisfaction is 1 minus the mean of the rule's potentials over its
	// groundings, with the labels fixed, in the last step: 1 is never broken.
	Satisfaction float64 `json:"satisfaction"`
	// Gradient is the derivative of the loss for the weight in the last step.
	Gradient float64 `json:"gradient"`
}

// ruleTable is the table of a loss on the rules of a template, as of the
// last step.
func ruleTable(t *lcqp.Template, l *RuleLoss) []Rule {
	satisfaction, w, dw := make([]float64, t.Rules), l.Weights(), l.WeightGradient()
	l.Satisfaction(satisfaction)
	rules := make([]Rule, t.Rules)
	for r, rule := range t.Program().Rules {
		rules[r] = Rule{Text: rule.Text, Start: l.began[r], Weight: w[r], Satisfaction: satisfaction[r], Gradient: dw[r]}
	}
	return rules
}

// stalledNote is shown for a validation after which learning seems to have stalled.
const stalledNote = "outputs are near uniform and no rule is violated: see docs/LEARNING.md"

// stalled tells of a validation that there is nothing to learn from: outputs without a
// belief satisfy every linear rule half-way.
func stalled(m *Metric) bool {
	if m.Entropy < 0.95 || len(m.Rules) == 0 {
		return false
	}
	return !slices.ContainsFunc(m.Rules, func(r Rule) bool { return r.Satisfaction < 0.999 })
}

// WriteRules prints the table for people: where the weights began and ended, or, of frozen
// ones and those of an earlier version, what they are.
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
	fmt.Fprintln(t, "weight\tsatisfaction\tgradient\t  rule")
	for _, r := range rules {
		began(fmt.Sprintf("%.4f", r.Start))
		fmt.Fprintf(t, "%.4f\t%.4f\t%.2g\t  %s\n", r.Weight, r.Satisfaction, r.Gradient, r.Text)
	}
	return t.Flush()
}
