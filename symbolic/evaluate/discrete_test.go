package evaluate

import "testing"

func TestDiscrete(t *testing.T) {
	// Three true positives, one false negative, two false positives, four true
	// negatives; values at the threshold are positive.
	s := sample(1, 1, 0.5, 0.5, 0.7, 0.8, 0.49, 1, 0.5, 0.49, 0.9, 0, 0, 0, 0.1, 0.2, 0.3, 0, 0.4, 0.1)
	r := want(t, &Discrete{Threshold: 0.5}, s, map[string]float64{
		"accuracy": 0.7, "f1": 2 * 0.6 * 0.75 / 1.35,
		"positive_precision": 3.0 / 5, "positive_recall": 3.0 / 4,
		"negative_precision": 4.0 / 5, "negative_recall": 4.0 / 6,
		// By fifteenths: of 0.5, 0.5 and 1 - 0.49 one is right, 0.6 is right, 0.7 twice, of 0.9
		// and 0.9 one, 1 twice.
		"calibration_error": (0.51 + 0.4 + 0.6 + 0.8) / 10,
	})
	if r.Count != 10 || len(r.Metrics) != 7 {
		t.Errorf("%d atoms and %d metrics", r.Count, len(r.Metrics))
	}
	// The threshold holds for predictions and truth alike.
	want(t, &Discrete{Threshold: 0.95}, s, map[string]float64{"accuracy": 0.9, "positive_precision": 1, "positive_recall": 0.5})
	// Ratios without denominator are 0, as in the reference.
	want(t, &Discrete{Threshold: 0.5}, sample(0.1, 0, 0.2, 0), map[string]float64{
		"accuracy": 1, "f1": 0, "positive_precision": 0, "positive_recall": 0, "negative_precision": 1, "negative_recall": 1})
	want(t, &Discrete{}, sample(0, 0), map[string]float64{"accuracy": 1, "f1": 1, "negative_precision": 0})
}
