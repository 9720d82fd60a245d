package evaluate

import "cmp"

// Discrete evaluates predicates that are true or false after a threshold.
// Metrics: accuracy, f1, positive_precision, positive_recall,
// negative_precision, negative_recall, and calibration_error, which is not of the
// reference: of the beliefs v ≥ θ in true and 1 − v in false (Calibrate). A ratio without denominator is 0.
// With a Cut there is one more, threshold, the cut itself.
type Discrete struct {
	Scope
	// Threshold θ in [0, 1]: values ≥ θ are positive (Positive).
	Threshold float64
	// Cut is the threshold of the values, in [0, 1], where it is another than that of the truth,
	// as one that Choose has found; nil for Threshold.
	Cut *float64
	// Representative names the evaluator's main metric; empty means f1.
	Representative string
}

// Name returns "Discrete".
func (d *Discrete) Name() string { return "Discrete" }

// Check requires a threshold in [0, 1] and a representative that exists.
func (d *Discrete) Check(int) error {
	if err := checkThreshold("Discrete", d.Threshold); err != nil {
		return err
	}
	if d.Cut != nil {
		if err := checkThreshold("Discrete", *d.Cut); err != nil {
			return err
		}
	}
	return checkRepresentative("Discrete", d.Representative, "accuracy", "f1",
		"positive_precision", "positive_recall", "negative_precision", "negative_recall")
}

// Evaluate counts the four cells of the confusion matrix.
func (d *Discrete) Evaluate(s *Sample) (Report, error) {
	if err := d.Check(s.Arity); err != nil {
		return Report{}, err
	}
	cut := d.ValueThreshold()
	var n cells
	var beliefs []float64
	var rights []bool
	d.pairs(s, func(value, truth float64) {
		predicted, expected := Positive(value, cut), Positive(truth, d.Threshold)
		if !predicted {
			value = 1 - value
		}
		beliefs, rights = append(beliefs, value), append(rights, predicted == expected)
		switch {
		case predicted && expected:
			n.tp++
		case predicted:
			n.fp++
		case expected:
			n.fn++
		default:
			n.tn++
		}
	})
	r := d.report(n)
	if r.Count > 0 {
		r.Metrics = append(r.Metrics, Metric{"calibration_error", Calibrate("", beliefs, rights).Error})
	}
	if r.Count > 0 && d.Cut != nil {
		r.Metrics = append(r.Metrics, Metric{ThresholdMetric, cut})
	}
	return r, nil
}

// ValueThreshold returns the threshold of the values: Cut, else Threshold.
func (d *Discrete) ValueThreshold() float64 {
	if d.Cut != nil {
		return *d.Cut
	}
	return d.Threshold
}

// ThresholdMetric is the name of the metric that holds a Cut.
const ThresholdMetric = "threshold"

// cells is a confusion matrix: true and false positives and negatives.
type cells struct{ tp, fp, tn, fn float64 }

// report has the metrics of a confusion matrix.
func (d *Discrete) report(n cells) Report {
	count := n.tp + n.fp + n.tn + n.fn
	precision, recall := ratio(n.tp, n.tp+n.fp), ratio(n.tp, n.tp+n.fn)
	return report(int(count), cmp.Or(d.Representative, "f1"), 1,
		Metric{"accuracy", ratio(n.tp+n.tn, count)},
		Metric{"f1", ratio(2*precision*recall, precision+recall)},
		Metric{"positive_precision", precision}, Metric{"positive_recall", recall},
		Metric{"negative_precision", ratio(n.tn, n.tn+n.fn)}, Metric{"negative_recall", ratio(n.tn, n.tn+n.fp)},
	)
}
