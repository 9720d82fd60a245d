package evaluate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Precision and recall are those of sklearn.metrics.precision_recall_curve of scikit-learn 1.9.1, the
// thresholds the middles of neighbouring values.
func TestCurve(t *testing.T) {
	s := sample(0.9, 1, 0.8, 0, 0.8, 1, 0.6, 1, 0.6, 0, 0.5, 0, 0.35, 1, 0.35, 0, 0.1, 0, 0, 0)
	curve, err := (&Discrete{Threshold: 0.5}).Curve(s)
	require.NoError(t, err)
	want := []Point{
		{0.85, 1, 0.25, 0.4},
		{0.7, 0.6666666666666666, 0.5, 0.5714285714285715},
		{0.55, 0.6, 0.75, 0.6666666666666665},
		{0.425, 0.5, 0.75, 0.6},
		{0.225, 0.5, 1, 0.6666666666666666},
		{0.05, 0.4444444444444444, 1, 0.6153846153846153},
		{0, 0.4, 1, 0.5714285714285715},
	}
	require.Len(t, curve, len(want))
	for i, p := range want {
		assert.InDeltaSlice(t, []float64{p.Threshold, p.Precision, p.Recall, p.F1},
			[]float64{curve[i].Threshold, curve[i].Precision, curve[i].Recall, curve[i].F1}, 1e-12, "point %d", i)
	}
	assert.Equal(t, []Point{curve[0], curve[3], curve[6]}, Thin(curve, 3))
	assert.Equal(t, curve, Thin(curve, 7))
}

// Two points have the same F1, and the larger threshold is taken; other metrics have other
// best thresholds: accuracy is .7 at .85 and at .55, precision 1 at .85, recall 1 at .225.
func TestChoose(t *testing.T) {
	s := sample(0.9, 1, 0.8, 0, 0.8, 1, 0.6, 1, 0.6, 0, 0.5, 0, 0.35, 1, 0.35, 0, 0.1, 0, 0, 0)
	for metric, want := range map[string]float64{"": 0.55, "f1": 0.55, "accuracy": 0.85, "positive_precision": 0.85, "positive_recall": 0.225} {
		got, ok, err := (&Discrete{Threshold: 0.5, Representative: metric}).Choose(s)
		require.NoError(t, err)
		assert.True(t, ok)
		assert.InDelta(t, want, got, 1e-12, metric)
	}
	for name, s := range map[string]*Sample{"nothing": {}, "positives alone": sample(0.2, 1, 0.7, 1), "negatives alone": sample(0.2, 0)} {
		_, ok, err := (&Discrete{Threshold: 0.5}).Choose(s)
		assert.NoError(t, err)
		assert.False(t, ok, name)
	}
	// Neighbours of six decimals have no middle; the threshold still parts them.
	got, ok, err := (&Discrete{Threshold: 0.5}).Choose(sample(0.300001, 1, 0.3, 0))
	assert.NoError(t, err)
	assert.True(t, ok && Positive(0.300001, got) && !Positive(0.3, got), "%v", got)
	// The truth keeps its own threshold.
	cut := 0.2
	r := want(t, &Discrete{Threshold: 0.5, Cut: &cut}, sample(0.3, 0.4, 0.25, 1, 0.1, 0), map[string]float64{
		"positive_precision": 0.5, "positive_recall": 1, "threshold": 0.2})
	assert.Equal(t, 3, r.Count)
	cut = 1.5
	_, err = (&Discrete{Threshold: 0.5, Cut: &cut}).Evaluate(&Sample{})
	assert.ErrorContains(t, err, "the threshold 1.5 is not in [0, 1]")
}

// A point of the curve has what the evaluator has with its threshold as the cut, and no cut of a
// fine grid that makes an atom positive is better than the chosen one.
func TestCurveAgainstEvaluator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Discrete{Scope: drawScope(t), Threshold: 0.5, Representative: rapid.SampledFrom([]string{"f1", "accuracy"}).Draw(t, "metric")}
		s := drawSample(t)
		at := func(cut float64) Report {
			e := d
			e.Cut = &cut
			r, err := e.Evaluate(s)
			require.NoError(t, err)
			return r
		}
		curve, err := d.Curve(s)
		require.NoError(t, err)
		for _, p := range curve {
			r := at(p.Threshold)
			for name, v := range map[string]float64{"positive_precision": p.Precision, "positive_recall": p.Recall, "f1": p.F1} {
				got, _ := r.Get(name)
				assert.InDelta(t, got, v, 1e-12)
			}
		}
		best, ok, err := d.Choose(s)
		require.NoError(t, err)
		largest := 0.0
		for _, a := range compared(s, d.Scope) {
			largest = max(largest, a[0])
		}
		for i := 0; ok && float64(i)/100 <= largest; i++ { // beyond it no atom is positive
			assert.LessOrEqual(t, at(float64(i)/100).Score, at(best).Score+1e-12)
		}
	})
}
