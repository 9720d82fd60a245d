package model

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDoubts lists what is probably a slip in data, and what is not.
func TestDoubts(t *testing.T) {
	for _, test := range []struct{ p, q, file, want string }{
		{`"targets": ["x.txt"]`, `"observations": [["a"]]`, "a\n", ""},
		{`"targets": [["a"]]`, ``, "", "model.json:1:76: Q has no data in the partition infer (give it observations or targets; all its atoms count as false)"},
		{`"targets": [["a"], ["b"]], "truth": [["a"], ["c"], ["d", 0]]`, `"observations": [["a"]]`, "",
			"model.json:1:47: 2 of the true values of P are of atoms that are not targets, the first is P(c) (add them to the targets, or remove them)"},
		{`"targets": [["a"]], "truth": [["a"], ["c"], ["d", 0]], "evaluations": ["CategoricalEvaluator"]`, `"observations": [["a"]]`, "",
			"model.json:1:47: 2 of the true values of P are of atoms that are not targets, the first is P(c); its accuracy counts the true ones as misses (add them to the targets, or remove them)"},
		{`"targets": [["a"]]`, `"observations": [["a", 0.5], ["b", 0.5]]`, "", "model.json:1:76: all 2 observations of Q have the value 0.5 (check the column of values)"},
		{`"targets": [["a"]]`, `"observations": [["a", 0.5]]`, "", ""},
		{`"targets": [["a"]]`, `"observations": [["a"], ["b"]]`, "", ""},
		{`"targets": [["a"]]`, `"observations": ["x.txt"]`, "\n \n",
			"model.json:1:101: x.txt adds no atom of Q: it has no row that is asked for (remove it from the model, or look at what it asks for)\n" +
				"model.json:1:76: Q has no data in the partition infer (give it observations or targets; all its atoms count as false)"},
		{`"targets": [["a"]]`, `"observations": [["a"], "x.txt"]`, "a\n", "model.json:1:108: x.txt adds no atom of Q: others have them all (remove it from the model, or look at what it asks for)"},
		{`"targets": ["x.txt"]`, `"observations": [["a"]]`, "Person\nann\n", `x.txt:1:1: "Person" looks like a header, and is read as an atom of P (remove it if it is)`},
		{`"targets": ["x.txt"]`, `"observations": [["a"]]`, "\nuser_id\nann\n", `x.txt:2:1: "user_id" looks like a header, and is read as an atom of P (remove it if it is)`},
		{`"targets": [["a"]]`, `"observations": ["x.txt"]`, "movieTitle\na\n", `x.txt:1:1: "movieTitle" looks like a header, and is read as an atom of Q (remove it if it is)`},
		{`"targets": ["x.txt"]`, `"observations": [["u1"]]`, "users\nu1\nu2\n", `x.txt:1:1: "users" looks like a header, and is read as an atom of P (remove it if it is)`},
		{`"targets": ["x.txt"]`, `"observations": [["u1"]]`, "users\nu1\nothers\n", ""},
		{`"targets": ["x.txt"]`, `"observations": [["u1"]]`, "u0\nu1\nu2\n", ""},
		{`"targets": ["x.txt"]`, `"observations": [["u1"]]`, "u1\n  \"u2\"\n'u3'\n", `x.txt:2:1: the quotes of "u2" in x.txt are part of the constant: without them it is another one; so are those of 1 more (remove the quotes, unless all data and rules mean them)`},
		{`"targets": ["x.txt"]`, `"observations": [["u1"]]`, "u1\n5\" disc\nthe 'best'\n\"\n", ""},
		{`"targets": ["x.txt"]`, `"observations": [["a"]]`, "anton\nann\n", ""},
		{`"targets": [["x"]]`, `"observations": ["x.txt"]`, "x\t0.7\ny\t0.2\n", ""}, // a row with a truth value
		{`"observations": [["b"]], "targets": [["a"]], "truth": [["a"], ["b"]], "evaluations": ["CategoricalEvaluator"]`, `"observations": [["a"]]`, "",
			"model.json:1:47: 1 true atoms of P are observed: they are left out of the accuracy, which the reference lowers by them as misses (remove them from the truth, or set eval.includeobs true)"},
		{`"targets": [["a"], ["b"]], "truth": [["a"], ["b"]], "evaluations": ["AUCEvaluator"]`, `"observations": [["a"]]`, "",
			"model.json:1:47: the true values of P are all on one side of the threshold: there is no ranking to evaluate (check the truth)"},
	} {
		src := `{"rules": ["1: Q(A) -> P(A)"], "predicates": {"P/1": {` + test.p + `}, "Q/1": {` + test.q + `}}}`
		m := mustLoad(t, map[string]string{"model.json": src, "x.txt": test.file}, LoadOptions{})
		for _, w := range m.Warnings {
			if !w.Data {
				t.Errorf("%v is not about data", w)
			}
		}
		assert.Equalf(t, test.want, notes(m), "%s", src)
	}
	// A predicate in no rule is a doubt about the model.
	m := mustLoad(t, map[string]string{"model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [["a"]]}, "Q/1": {"observations": [["a"]]}}}`}, LoadOptions{})
	if len(m.Warnings) != 1 || m.Warnings[0].Data || !strings.Contains(m.Warnings[0].String(), "Q is in no rule") {
		t.Errorf("warnings %v", m.Warnings)
	}
	// A constant in quotes has the column of its field.
	m = mustLoad(t, map[string]string{"x.txt": "é\t'b'\t1\n", "model.json": `{"rules": ["1: !P(A, B)"], "predicates": {"P/2": {"targets": ["x.txt"]}}}`}, LoadOptions{})
	assert.Regexp(t, "^x.txt:1:3: the quotes of 'b' in x.txt are part", notes(m))
	// The hint at a header comes with the error, where there is one.
	_, err := load(t, map[string]string{"x.txt": "name\tvalue\nann\t0.5\n", "model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": ["x.txt"]}}}`}, LoadOptions{})
	assert.EqualError(t, err, `x.txt:1:6: the value "value" is not a number (if the line is a header, remove it)`)
}
