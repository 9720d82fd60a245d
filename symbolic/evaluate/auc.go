package evaluate

import (
	"cmp"
	"slices"
)

// AUC evaluates how well values rank the true atoms before the false ones.
// Metrics: auroc, positive_auprc, negative_auprc, lowest_first_auprc.
//
// The precision–recall curves are joined by straight lines and begin at precision 1 and recall
// 0. There are two for the negative class. negative_auprc is the reference's: it ranks the
// atoms by decreasing value, as for the positive class, so good predictions make it small.
// lowest_first_auprc, our own, ranks them by increasing value, so perfect predictions make it
// 1.
type AUC struct {
	Scope
	// Threshold θ in [0, 1]: true values ≥ θ are positive (Positive).
	Threshold float64
	// Representative names the evaluator's main metric; empty means auroc.
	Representative string
}

var aucMetrics = []string{"auroc", "positive_auprc", "negative_auprc", "lowest_first_auprc"}

// Name returns "AUC".
func (c *AUC) Name() string { return "AUC" }

// Check requires a threshold in [0, 1] and a representative that exists.
func (c *AUC) Check(int) error {
	if err := checkThreshold("AUC", c.Threshold); err != nil {
		return err
	}
	return checkRepresentative("AUC", c.Representative, aucMetrics...)
}

// Evaluate integrates the curves by the trapezoid rule. Values are rounded to
// multiples of 1e-6, so that the last bits of a solution, which differ from
// solver to solver, do not order atoms of the same value.
func (c *AUC) Evaluate(s *Sample) (Report, error) {
	if err := c.Check(s.Arity); err != nil {
		return Report{}, err
	}
	steps := c.steps(s, c.Threshold)
	var swapped []step
	for _, st := range steps {
		swapped = append(swapped, step{st.value, st.negative, st.positive})
	}
	metrics := []Metric{{aucMetrics[0], auroc(steps)}, {aucMetrics[1], auprc(steps)}, {aucMetrics[2], auprc(swapped)}}
	slices.Reverse(swapped)
	metrics = append(metrics, Metric{aucMetrics[3], auprc(swapped)})
	all := totals(steps)
	return report(int(all.positive+all.negative), cmp.Or(c.Representative, aucMetrics[0]), 1, metrics...), nil
}

func totals(steps []step) (t step) {
	for _, s := range steps {
		t.positive += s.positive
		t.negative += s.negative
	}
	return t
}

// auroc is the share of pairs of a positive and a negative atom in which the
// positive one has the larger value, ties counting half. Without positives it is
// 0, else without negatives 1.
func auroc(steps []step) float64 {
	all := totals(steps)
	if all.positive == 0 {
		return 0
	}
	if all.negative == 0 {
		return 1
	}
	tp, area := 0.0, 0.0
	for _, s := range steps {
		area += s.negative * (tp + s.positive/2)
		tp += s.positive
	}
	return area / (all.positive * all.negative)
}

// auprc is the area under precision over recall; 0 without positives.
func auprc(steps []step) float64 {
	all := totals(steps).positive
	if all == 0 {
		return 0
	}
	tp, seen, area := 0.0, 0.0, 0.0
	precision := 1.0
	for _, s := range steps {
		tp += s.positive
		seen += s.positive + s.negative
		next := tp / seen
		area += s.positive * (precision + next) / 2
		precision = next
	}
	return area / all // at most 1, as no share of all is rounded before
}
