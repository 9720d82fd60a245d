package evaluate

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample makes a sample of labelled unary atoms from value/truth pairs.
func sample(pairs ...float64) *Sample {
	s := &Sample{Predicate: "P", Arity: 1}
	for i := 0; i < len(pairs); i += 2 {
		s.Labelled = append(s.Labelled, Atom{Args: []string{fmt.Sprint(i)}, Value: pairs[i], Truth: pairs[i+1]})
	}
	return s
}

// want checks the metrics of a report by name.
func want(t *testing.T, e Evaluator, s *Sample, metrics map[string]float64) Report {
	t.Helper()
	r, err := e.Evaluate(s)
	require.NoError(t, err)
	for name, v := range metrics {
		got, ok := r.Get(name)
		if !ok || math.Abs(got-v) > 1e-12 {
			t.Errorf("%s: %s is %v (%v), want %v", e.Name(), name, got, ok, v)
		}
	}
	return r
}

func TestNew(t *testing.T) {
	for _, name := range Names() {
		e, err := New(name)
		if err != nil || e.Name() != name {
			t.Fatalf("New(%q) = %v, %v", name, e, err)
		}
		assert.NoErrorf(t, e.Check(2), "the defaults of %s", name)
		r, err := e.Evaluate(&Sample{Arity: 2})
		if err != nil || r.Count != 0 || r.Metrics != nil || r.Score != 0 {
			t.Errorf("%s of nothing: %+v, %v", name, r, err)
		}
	}
	_, err := New("Psychic")
	assert.ErrorContains(t, err, "Categorical, Discrete, AUC, Continuous", "an unknown evaluator")
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		e    Evaluator
		want string
	}{
		{&Categorical{}, "no category index"},
		{&Categorical{Indexes: []int{2}}, "no argument 2 in a predicate of arity 2"},
		{&Categorical{Indexes: []int{0, -3}}, "no argument -3"},
		{&Discrete{Threshold: 1.5}, "threshold 1.5"},
		{&Discrete{Threshold: math.NaN()}, "threshold NaN"},
		{&Discrete{Threshold: 0.5, Representative: "mse"}, `no metric "mse"`},
		{&AUC{Threshold: -1}, "threshold -1"},
		{&AUC{Threshold: 0, Representative: "f1"}, `no metric "f1"`},
		{&Continuous{Representative: "f1"}, "want one of mae, mse"},
	} {
		assert.ErrorContainsf(t, test.e.Check(2), test.want, "%+v", test.e)
		if _, err := test.e.Evaluate(&Sample{Arity: 2}); err == nil {
			t.Errorf("%+v evaluates in spite of its settings", test.e)
		}
	}
}

// The representative metric decides the score; smaller errors are better.
func TestScore(t *testing.T) {
	s := sample(0.9, 1, 0.2, 0, 0.6, 0)
	for _, test := range []struct {
		e              Evaluator
		representative string
		sign           float64
	}{
		{&Discrete{Threshold: 0.5}, "f1", 1},
		{&Discrete{Threshold: 0.5, Representative: "negative_recall"}, "negative_recall", 1},
		{&AUC{Threshold: 0.5}, "auroc", 1},
		{&AUC{Threshold: 0.5, Representative: "positive_auprc"}, "positive_auprc", 1},
		{&Continuous{}, "mse", -1},
		{&Continuous{Representative: "mae"}, "mae", -1},
	} {
		r, err := test.e.Evaluate(s)
		require.NoError(t, err)
		m := r.Metrics[r.Representative]
		if m.Name != test.representative || r.Score != test.sign*m.Value {
			t.Errorf("%s: %s = %v with score %v, want %s", test.e.Name(), m.Name, m.Value, r.Score, test.representative)
		}
	}
}

// TestInPlace: atoms of several lists follow their places, those of one place their lists.
func TestInPlace(t *testing.T) {
	var places []int
	var values []float64
	for _, a := range InPlace([]Atom{{Place: 1}, {Place: 4}, {Place: 2}}, []Atom{{Place: 3}, {Place: 1, Value: 1}}) {
		places, values = append(places, a.Place), append(values, a.Value)
	}
	assert.Equal(t, []int{1, 1, 2, 3, 4}, places)
	assert.Equal(t, []float64{0, 1, 0, 0, 0}, values)
}
