package infer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inferText infers a model and returns the values by their arguments, the metrics and the warnings.
func inferText(t *testing.T, model string, args ...string) (map[string]float64, map[string]map[string]map[string]float64, string) {
	t.Helper()
	c, _, err := newTestCommand(t, append([]string{"-model", modelFile(t, model), "-json"}, args...)...)
	require.NoError(t, err)
	r, err := c.run()
	require.NoError(t, err)
	values, warnings := map[string]float64{}, ""
	for _, p := range r.Data.Predicates() {
		for a := range r.results(p.Name) {
			values[strings.Join(a.Args, "|")] = a.Value
		}
	}
	s := r.summarise(c)
	for _, w := range s.Warnings {
		warnings += w.Message + "\n"
	}
	return values, s.Metrics, warnings
}

// TestSmallWeights: P has w(1 − p)² + wp², which is least at ½ whatever w is, beside a rule of weight 1000 or more
// that has nothing to do with it; a rule alone has its way in six digits.
func TestSmallWeights(t *testing.T) {
	for _, large := range []float64{1, 1e3, 1e5, 1e6, 1e7} {
		values, metrics, warnings := inferText(t, fmt.Sprintf(`{"rules": ["%g: Q(A) = 0.5 ^2", "1: P(A) = 1 ^2", "1: P(A) = 0 ^2", "1: R(A) = 1 ^2"],
			"predicates": {"Q/1": {"targets": [["q"]]}, "R/1": {"targets": [["r"]]}, "P/1": {"targets": [["p"]], "truth": [["p", 1]], "evaluations": ["DiscreteEvaluator"]}}}`, large))
		assert.Equal(t, map[string]float64{"p": .5, "q": .5, "r": 1}, values, "%g", large)
		assert.Equal(t, 1., metrics["P"]["Discrete"]["f1"], "%g", large)
		assert.Empty(t, warnings)
	}
	for large, want := range map[string]string{"1e9": "1e-09, is beside ε = 1e-14", "1e13": "1e-13, is beside ε = 1e-08"} {
		_, _, warnings := inferText(t, `{"rules": ["`+large+`: Q(A) = 0.5 ^2", "1: P(A) = 1 ^2"], "predicates": {"Q/1": {"targets": [["q"]]}, "P/1": {"targets": [["p"]]}}}`)
		assert.Contains(t, warnings, "the smallest weight, "+want+" at the limit of rounding")
	}
}

// TestTiedCategories: with all values equal the first category of each entity is chosen, whichever of the others the
// file of the truth lists. One of four is right; the F1 of a is 2/(4 + 1), that of the others 0.
func TestTiedCategories(t *testing.T) {
	var targets, truths, all []string
	for e := range 4 {
		for k, class := range []string{"a", "b", "c", "d"} {
			targets = append(targets, fmt.Sprintf(`["e%d", "%s"]`, e, class))
			value := 0
			if k == e {
				value = 1
				truths = append(truths, fmt.Sprintf(`["e%d", "%s", 1]`, e, class))
			}
			all = append(all, fmt.Sprintf(`["e%d", "%s", %d]`, e, class, value))
		}
	}
	for name, truth := range map[string][]string{"the true ones": truths, "all": all} {
		_, metrics, _ := inferText(t, fmt.Sprintf(`{"rules": ["Has(X, +C) = 1 ."], "predicates": {"Has/2": {"targets": [%s], "truth": [%s], "evaluations": ["CategoricalEvaluator"]}}}`,
			strings.Join(targets, ","), strings.Join(truth, ",")))
		m := metrics["Has"]["Categorical"]
		assert.InDeltaSlice(t, []float64{.25, .1, 0}, []float64{m["accuracy"], m["macro_f1"], m["calibration_error"]}, 1e-6, name)
	}
}

// TestMethodsOfOurs: the methods for a small ε solve the same program and end as near. With weights 1 and ⅓ of squares
// and the hard rule a ≤ b the derivative −2(1 − p) + ⅔·2(2p − ½) is 0 at p = .7; linear, with a ≥ b, p = 1 is least. Two
// values that small weights alone hold at a sum of 1.5 share it.
func TestMethodsOfOurs(t *testing.T) {
	const form = `{"rules": [%s], "predicates": {"P/1": {"targets": [["a"], ["b"]]}}}`
	for rules, want := range map[string]float64{
		`"3: P(A) = 1 ^2", "1: P('a') + P('b') = 0.5 ^2", "P('a') <= P('b') ."`:       .7,
		`"3: P(A) = 1", "1: P('a') + P('b') = 0.5 ^2", "P('a') >= P('b') ."`:          1,
		`"1000: P(A) >= 0.3 ^2", "0.01: P('a') + P('b') = 1.5", "0.001: P(A) = 0 ^2"`: .75,
	} {
		for _, method := range []string{"auto", "ipm", "primal"} {
			values, _, _ := inferText(t, fmt.Sprintf(form, rules), "-method", method)
			assert.InDelta(t, want, values["a"], 2e-6, "%s: %s", method, rules)
			assert.InDelta(t, want, values["b"], 2e-6, "%s: %s", method, rules)
		}
	}
}

// TestWhereByNumber: in a file without names a number is that of a column.
func TestWhereByNumber(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.txt")
	require.NoError(t, os.WriteFile(file, []byte("a\tx\nb\ty\n"), 0o666))
	values, _, _ := inferText(t, fmt.Sprintf(`{"rules": ["1: P(A) = 0.5 ^2"], "predicates": {"P/1": {"targets": [{"tsv": %q, "columns": [1], "where": {"2": "y"}}]}}}`, file))
	assert.Equal(t, map[string]float64{"b": .5}, values)
}
