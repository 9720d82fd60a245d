package model

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/evaluate"
)

func TestEvaluations(t *testing.T) {
	m := mustLoad(t, map[string]string{"model.json": `{"rules": ["1: !P(A, B)"], "predicates": {
		"P/2": {"targets": [["a", "b"]], "evaluations": [
			"DiscreteEvaluator",
			{"evaluator": "org.linqs.psl.evaluation.statistics.DiscreteEvaluator", "primary": true,
			 "options": {"discreteevaluator.threshold": 0.75, "discreteevaluator.representative": "ACCURACY", "eval.includeobs": false, "odd": 1}},
			{"evaluator": "CategoricalEvaluator", "options": {"categoricalevaluator.categoryindexes": "0:-1"}},
			"AUCEvaluator", {"evaluator": "ContinuousEvaluator", "options": {"continuousevaluator.representative": "mae", "eval.closetruth": "true"}}]}},
		"options": {"eval.includeobs": true, "discreteevaluator.threshold": 0.25}}`}, LoadOptions{})
	all := evaluate.Scope{IncludeObserved: true}
	want := []Evaluation{
		{"P", &evaluate.Discrete{Scope: all, Threshold: 0.25}, false},
		{"P", &evaluate.Discrete{Threshold: 0.75, Representative: "accuracy"}, true},
		{"P", &evaluate.Categorical{Scope: all, Indexes: []int{0, -1}}, false},
		{"P", &evaluate.AUC{Scope: all, Threshold: 0.5}, false},
		{"P", &evaluate.Continuous{Scope: evaluate.Scope{IncludeObserved: true, CloseTruth: true}, Representative: "mae"}, false},
	}
	if !reflect.DeepEqual(m.Evaluations, want) {
		for _, e := range m.Evaluations {
			t.Logf("%s %+v %v", e.Predicate, e.Evaluator, e.Primary)
		}
		t.Error("the evaluations are not as configured")
	}
	assert.Regexp(t, `^!model.json:5:128: the DiscreteEvaluator has no option "odd" \(possible are eval.includeobs, .*discreteevaluator.representative\)$`, notes(m))
}

// TestOptionsOfOthers: an option without the evaluator's name, or of another evaluator, does nothing there.
func TestOptionsOfOthers(t *testing.T) {
	for name, hint := range map[string]string{"threshold": "possible are ", "aucevaluator.threshold": "did you mean discreteevaluator.threshold?"} {
		m := mustLoad(t, map[string]string{"model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [["a"]], "evaluations": [
			{"evaluator": "DiscreteEvaluator", "options": {"` + name + `": 0.4}}]}}}`}, LoadOptions{})
		assert.Equal(t, &evaluate.Discrete{Threshold: 0.5}, m.Evaluations[0].Evaluator)
		assert.Contains(t, notes(m), `the DiscreteEvaluator has no option "`+name+`" (`+hint)
	}
}

// TestCategoryOfNetwork: where the options do not say otherwise, the class of a network is the category, which
// is right for a and b here. The last argument, as a category, is right for one of two.
func TestCategoryOfNetwork(t *testing.T) {
	for options, want := range map[string]float64{"": 1, `"categoricalevaluator.categoryindexes": "-1"`: 0.5} {
		m := mustLoad(t, map[string]string{"f.txt": "a\t1\nb\t2\n", "model.json": `{"rules": ["1: P(C, A) = Q(A)"], "predicates": {
			"P/2": {"network": {"model": "mlp", "layers": [], "features": "f.txt", "entity": [1], "classes": 2},
				"targets": [["0", "a"], ["1", "a"], ["0", "b"], ["1", "b"]], "truth": [["0", "a"], ["0", "b"]], "evaluations": ["CategoricalEvaluator"]},
			"Q/1": {"targets": [["a"]]}}, "options": {` + options + `}}`}, LoadOptions{})
		results, err := m.Evaluate([]float64{0}, []float64{0.9, 0.1, 0.6, 0.4})
		require.NoError(t, err)
		assert.Equal(t, want, results[0].Score)
	}
}

// A sample tells apart what is known about each atom.
func TestSample(t *testing.T) {
	m := mustLoad(t, map[string]string{"truth.txt": "a\t1\nb\t0\nx\t0.5\nz\t1\n", "model.json": `{"rules": ["1: !P(A)"], "predicates": {
		"P/1": {"observations": [["x", 0.25], ["y"]], "targets": [["a"], ["b"], ["c"]], "truth": ["truth.txt", ["w", 0.75]],
			"evaluations": ["ContinuousEvaluator", {"evaluator": "ContinuousEvaluator", "options": {"eval.includeobs": true}}]}}}`}, LoadOptions{})
	s := m.Sample("P", []float64{0.9, 0.2, 0.3}, nil)
	print := func(list []evaluate.Atom) string { return fmt.Sprint(list) }
	for _, test := range []struct {
		got  []evaluate.Atom
		want string
	}{
		{s.Labelled, "[{[a] 0.9 1 2} {[b] 0.2 0 3}]"}, {s.Latent, "[{[c] 0.3 0 4}]"}, {s.Observed, "[{[x] 0.25 0.5 0}]"},
		{s.Unlabelled, "[{[y] 1 0 1}]"}, {s.Missing, "[{[z] 0 1 0} {[w] 0 0.75 0}]"},
	} {
		assert.Equal(t, test.want, print(test.got))
	}
	results, err := m.Evaluate([]float64{0.9, 0.2, 0.3}, nil)
	if err != nil || len(results) != 2 {
		t.Fatal(results, err)
	}
	for i, want := range []float64{0.15, 0.55 / 3} {
		if got, _ := results[i].Get("mae"); math.Abs(got-want) > 1e-12 || results[i].Predicate != "P" {
			t.Errorf("evaluation %d: %+v, want mae %v", i, results[i].Report, want)
		}
	}
	if _, err := m.Evaluate([]float64{1}, nil); err == nil {
		t.Error("too few values are accepted")
	}
}

// A second truth that says something else is an error at its place, also within a file; one
// that says the same is none.
func TestTruthTwice(t *testing.T) {
	for _, c := range []struct{ first, second, at string }{
		{"a\t1\n", "a\t0\n", "b.txt:1:1: "}, {"a\t0.5\n", "b\t1\na\t0.25\n", "b.txt:2:1: "}, {"a\t1\na\t0\n", "", "a.txt:2:1: "},
		{"a\t0.5\n", "a\t0.5\nb\t1\n", ""},
	} {
		m, err := load(t, map[string]string{"a.txt": c.first, "b.txt": c.second, "model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [["a"], ["b"]], "truth": ["a.txt", "b.txt"], "evaluations": ["AUCEvaluator"]}}}`}, LoadOptions{})
		if c.at != "" {
			if err == nil || strings.Count(err.Error(), c.at) != 1 || !strings.Contains(err.Error(), "truth of P(a)") {
				t.Errorf("%q and %q: %v, want an error at %s", c.first, c.second, err, c.at)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q and %q: %v", c.first, c.second, err)
		} else if s := m.Sample("P", []float64{0, 0}, nil); fmt.Sprint(s.Labelled) != "[{[a] 0 0.5 0} {[b] 0 1 1}]" {
			t.Errorf("%q and %q: labels %v", c.first, c.second, s.Labelled)
		}
	}
}

// TestFlattered: atoms of a network count as targets do.
func TestFlattered(t *testing.T) {
	file := map[string]string{"f.txt": "a\t1\nb\t2\nc\t3\n", "model.json": `{"rules": ["1: P(A) = Q(A)"], "predicates": {
		"P/1": {"network": {"model": "mlp", "layers": [], "features": "f.txt"}, "targets": {"validation": [["a"], ["b"]], "infer": [["b"], ["c"]]},
			"truth": [["a"], ["b", 0], ["c"]], "evaluations": ["DiscreteEvaluator"]},
		"Q/1": {"targets": [["a"], ["b"], ["c"]]}}}`}
	doubts := mustLoad(t, file, LoadOptions{Partition: Infer}).Flattered(mustLoad(t, file, LoadOptions{Partition: Validation}))
	require.Len(t, doubts, 1)
	assert.Contains(t, doubts[0], "1 of the 2 targets of P ")
}

// TestValuesOfOtherModels: values that are not those of the model's targets are refused, wherever they are asked for.
// Names of predicates are those of the data in letters of either case.
func TestValuesOfOtherModels(t *testing.T) {
	m := mustLoad(t, map[string]string{"model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {
		"targets": [["a"], ["b"]], "truth": [["a", 1], ["b", 0]], "evaluations": ["DiscreteEvaluator"]}}}`}, LoadOptions{})
	m.Decide(Thresholds{"": 0.5})
	_, err := m.Evaluate([]float64{1}, nil)
	assert.ErrorContains(t, err, "1 values and 0 neural outputs, the model has 2 targets")
	_, err = m.Choose([]float64{1}, nil)
	assert.ErrorContains(t, err, "1 values and 0 neural outputs, the model has 2 targets")
	_, err = m.Curves([]float64{1}, nil, 5)
	assert.ErrorContains(t, err, "1 values and 0 neural outputs, the model has 2 targets")
	assert.Equal(t, 1, m.Sample("p", []float64{1, 0}, nil).Arity)
}
