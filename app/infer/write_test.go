package infer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/infer"
	"hinge/train/exit"
)

// The object has the documented fields, in their order, and nothing else.
func TestJSON(t *testing.T) {
	r, stdout := ran(t, smokers, "-json")
	d := json.NewDecoder(strings.NewReader(stdout))
	var keys []string
	depth := 0
	for {
		token, err := d.Token()
		require.NoError(t, err)
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 {
				keys = append(keys, v)
			}
		}
		if depth == 0 {
			break
		}
	}
	want := []string{"model", r.File, "partition", "infer", "method", "auto", "epsilon", "ties", "norm", "terms", "constraints", "targets", "components", "iterations", "objective", "primal", "dual", "gap",
		"max_violation", "status", "solved", "ground_s", "solve_s", "begun", "metrics", "learned", "warnings", "atoms"}
	assert.Equal(t, want, keys, "keys and texts")
	if d.More() {
		t.Error("there is something after the object")
	}
	var s summary
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	// zoe is in no rule: a target, but no component.
	if s.Terms != 3 || s.Constraints != 1 || s.Targets != 3 || s.Components != 1 {
		t.Errorf("sizes %+v", s)
	}
	if *s.Objective != r.Energy || *s.Primal != r.PrimalValue || *s.Dual != r.DualValue || !(*s.Gap <= 1e-7) {
		t.Errorf("values %v %v %v, the solver's are %v %v %v", *s.Objective, *s.Primal, *s.Dual, r.Energy, r.PrimalValue, r.DualValue)
	}
	if v := s.Metrics["Smokes"]["Discrete"]["accuracy"]; v != 1 {
		t.Errorf("metrics %v", s.Metrics)
	}
	if len(s.Atoms) != 3 || s.Atoms[0].Predicate != "Smokes" || s.Atoms[0].Arguments[0] != "bob" || s.Atoms[0].Value != evaluate.Value(r.Y[0]) {
		t.Errorf("atoms %v", s.Atoms)
	}
	if _, ok := s.Metrics["Smokes"]["Discrete#2"]["f1"]; !ok {
		t.Errorf("the second evaluation is missing: %v", s.Metrics)
	}
}

// Every status has a name.
func TestStatusNames(t *testing.T) {
	seen := map[string]bool{}
	for s := infer.NotRun; s <= infer.Infeasible; s++ {
		name := s.Name()
		if name == "" || seen[name] {
			t.Errorf("status %q is called %q", s, name)
		}
		seen[name] = true
	}
}

// Values read back are the solution as it is compared: to six decimals.
func TestValues(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "b")
	r, stdout := ran(t, smokers, "-out", out)
	data, err := os.ReadFile(filepath.Join(out, "SMOKES.txt"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, name := range []string{"bob", "cleo", "zoe"} {
		arg, value, _ := strings.Cut(lines[i], "\t")
		if v, err := strconv.ParseFloat(value, 64); err != nil || arg != name || v != evaluate.Value(r.Y[i]) {
			t.Errorf("line %q, want %s %v", lines[i], name, r.Y[i])
		}
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 1 || len(lines) != 3 {
		t.Errorf("files %v, %d lines", files, len(lines))
	}
	if !strings.Contains(stdout, "values     in "+out) {
		t.Errorf("the summary does not say where the values are:\n%s", stdout)
	}
}

// All values are printed, whatever their number.
func TestSummaryLength(t *testing.T) {
	rows := make([]string, 50)
	for i := range rows {
		rows[i] = `["a` + strconv.Itoa(i) + `"]`
	}
	_, stdout := ran(t, `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [`+strings.Join(rows, ",")+`], "evaluations": ["AUCEvaluator"]}}}`)
	if n := strings.Count(stdout, "\n"); n != 55 || !strings.Contains(stdout, "evaluation P, AUC: no atom with a true value") {
		t.Errorf("%d lines:\n%s", n, stdout)
	}
}

// TestNothingCategorical: true values below 1 name no category, which is not the same as none.
func TestNothingCategorical(t *testing.T) {
	_, stdout := ran(t, `{"rules": ["1: !P(A, B)"], "predicates": {"P/2": {"targets": [["a", "b"]], "truth": [["a", "b", 0.9]], "evaluations": ["CategoricalEvaluator", "DiscreteEvaluator"]}}}`)
	if !strings.Contains(stdout, "evaluation P, Categorical: no atom with the true value 1\nevaluation P, Discrete: accuracy 0.0000") {
		t.Error(stdout)
	}
}

// TestInputsStay: results do not take the place of a file that the model is read from.
func TestInputsStay(t *testing.T) {
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	files := map[string]string{
		"model.json": `{"rules": "rules.psl", "predicates": {"C/1": {"targets": [{"csv": "asked.csv"}], "truth": ["C.txt"]}}}`,
		"rules.psl":  "1: C(X) = 1", "other.psl": "2: C(X) = 1", "asked.csv": "x\na\nb\n", "C.txt": "a\t1\n",
	}
	for file, text := range files {
		require.NoError(t, os.WriteFile(name(file), []byte(text), 0o666))
	}
	for file, args := range map[string][]string{
		"model.json": {"-groundrules", name("model.json")}, "rules.psl": {"-rules", name("other.psl"), "-groundrules", name("rules.psl")},
		"other.psl": {"-rules", name("other.psl"), "-groundrules", name("other.psl")}, "asked.csv": {"-out", name("asked.csv")}, "C.txt": {"-out", dir},
		"rules.psl as learned rules": {"-rules", name("other.psl"), "-learn", "mse", "-out", dir}, "C.txt as learned rules": {"-learn", "mse", "-D", "runtime.learn.output.model.path=" + name("C.txt")},
	} {
		file, _, _ = strings.Cut(file, " ")
		refused(t, exit.Usage, "the model is read from "+name(file), append(args, "-model", name("model.json"))...)
		text, err := os.ReadFile(name(file))
		require.NoError(t, err)
		require.Equal(t, files[file], string(text))
	}
	// C.csv, which is read beside C.txt, is not written.
	asked := name("C.csv")
	require.NoError(t, os.Rename(name("asked.csv"), asked))
	source := name("beside.json")
	require.NoError(t, os.WriteFile(source, []byte(`{"rules": "rules.psl", "predicates": {"C/1": {"targets": [{"csv": "C.csv"}]}}}`), 0o666))
	runArgs(t, "-model", source, "-out", dir)
	text, err := os.ReadFile(name("C.txt"))
	require.NoError(t, err)
	require.Equal(t, "a\t1\nb\t1\n", string(text))
	require.NoError(t, os.WriteFile(asked, []byte("x\n\"a\tb\"\n"), 0o666))
	refused(t, exit.Usage, "the model is read from "+asked, "-model", source, "-out", dir)
	// Nor do results take the place of one another.
	require.NoError(t, os.WriteFile(asked, []byte("x\na\n"), 0o666))
	for _, args := range [][]string{{"-groundrules", name("r.csv"), "-out", name("r.csv")}, {"-groundrules", dir + "/./r/C.txt", "-out", name("r")}} {
		refused(t, exit.Usage, "-groundrules and -out write to one file, "+args[1]+"; name another", append(args, "-model", source)...)
	}
}

// TestUnwritable: a folder of results that is there and cannot be written to is refused before anything is solved.
func TestUnwritable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to the superuser")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o555))
	for _, args := range [][]string{nil, {"-learn", "sp"}} {
		refused(t, exit.Usage, "-out: cannot write to the folder "+dir, append(args, "-model", modelFile(t, smokers), "-out", dir)...)
	}
}
