package evaluate

import "cmp"

// Discrete evaluates predicates that are true or false after a threshold.
// Metrics: accuracy, f1, positive_precision, positive_recall,
// negative_precision, negative_recall, and calibration_error, which is not of the
// reference: of the beliefs v ≥ θ in true and 1 − v in false (Calibrate). A ratio without denominator is 0.
type Discrete struct {
	Scope
	// Threshold θ in [0, 1]: values ≥ θ are positive (Positive).
	Threshold float64
	// Representative names the evaluator's main metric; empty means f1.
	Representative string
}

var _ Evaluator = (*Discrete)(nil)

// Name returns "Discrete".
func (d *Discrete) Name() string { return "Discrete" }

// Check requires a threshold in [0, 1] and a representative that exists.
func (d *Discrete) Check(int) error {
	if err := checkThreshold("Discrete", d.Threshold); err != nil {
		return err
	}
	return checkRepresentative("Discrete", d.Representative, "accuracy", "f1",
		"positive_precision", "positive_recall", "negative_precision", "negative_recall")
}

// Evaluate counts the four cells of the confusion matrix.
func (d *Discrete) Evaluate(s *Sample) (Report, error) {
	if err := d.Check(s.Arity); err != nil {
		return Report{}, err
	}
	var tp, fp, tn, fn float64
	var beliefs []float64
	var rights []bool
	d.pairs(s, func(value, truth float64) {
		predicted, expected := Positive(value, d.Threshold), Positive(truth, d.Threshold)
		if !predicted {
			value = 1 - value
		}
		beliefs, rights = append(beliefs, value), append(rights, predicted == expected)
		switch {
		case predicted && expected:
			tp++
		case predicted:
			fp++
		case expected:
			fn++
		default:
			tn++
		}
	})
	count := tp + fp + tn + fn
	precision, recall := ratio(tp, tp+fp), ratio(tp, tp+fn)
	return report(int(count), cmp.Or(d.Representative, "f1"), 1,
		Metric{"accuracy", ratio(tp+tn, count)},
		Metric{"f1", ratio(2*precision*recall, precision+recall)},
		Metric{"positive_precision", precision}, Metric{"positive_recall", recall},
		Metric{"negative_precision", ratio(tn, tn+fn)}, Metric{"negative_recall", ratio(tn, tn+fp)},
		Metric{"calibration_error", Calibrate("", beliefs, rights).Error},
	), nil
}
