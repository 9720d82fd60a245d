package infer

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// networked is a model whose network sees which of two groups an item is in.
const networked = `{"rules": ["1: Net(X, C) = Y(X, C) ^2", "1: Near(X, W) & Y(X, C) -> Y(W, C) ^2", "Y(X, +C) = 1 ."],
	"predicates": {
		"Near/2": {"observations": [["a", "b"], ["c", "d"]]},
		"Net/2": {"network": {"model": "mlp", "features": "features.txt", "classes": 2},
			"targets": [["a", 0], ["a", 1], ["b", 0], ["b", 1], ["c", 0], ["c", 1], ["d", 0], ["d", 1]],
			"evaluations": ["CategoricalEvaluator"], "truth": {"infer": [["a", 0], ["b", 0], ["c", 1], ["d", 1]]}},
		"Y/2": {"targets": [["a", 0], ["a", 1], ["b", 0], ["b", 1], ["c", 0], ["c", 1], ["d", 0], ["d", 1]],
			"truth": [["a", 0], ["a", 1, 0], ["b", 0], ["b", 1, 0], ["c", 1], ["c", 0, 0], ["d", 1], ["d", 0, 0]],
			"evaluations": ["CategoricalEvaluator"]}}}`

// trainedRun trains networked and returns model file, run folder and result.
func trainedRun(t *testing.T) (file, dir string, res record.Result) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "model.json")
	for name, text := range map[string]string{"model.json": networked, "features.txt": "a\t1\nb\t0.5\nc\t-1\nd\t-0.25\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	c, err := modelfile.Task{}.Defaults(config.Config{Task: "model"})
	require.NoError(t, err)
	c.Options.(*modelfile.Options).Model = file
	c.Training.Epochs, c.Neural.LearningRate = 30, 0.1
	m, err := (modelfile.Task{}).Open(c, "")
	require.NoError(t, err)
	dir = filepath.Join(dir, "run")
	res, err = train.Run(context.Background(), c, m, train.Options{Dir: dir})
	require.NoError(t, err)
	return file, dir, res
}

// TestWeights: inference with the networks and the rule weights of a run gives its
// test result, in every form of output.
func TestWeights(t *testing.T) {
	file, dir, res := trainedRun(t)
	out := t.TempDir()
	r, stdout := runArgs(t, "-model", file, "-weights", dir, "-check", "-out", out, "-top", "1", "-explain", "Y(a, 0)", "-groundrules", filepath.Join(out, "ground"))
	for _, m := range r.metrics {
		if v, _ := m.Get("accuracy"); v != res.More[m.Predicate+" Categorical accuracy"] || v != 1 {
			t.Errorf("%s: accuracy %v, the run's test says %v", m.Predicate, v, res.More)
		}
	}
	if v := lcqp.Residuals(r.Instance, &r.Solution); !(v.Max() <= 1e-6) {
		t.Errorf("no optimum: %+v", v)
	}
	if r.Epsilon != 1e-3 || len(r.Outputs) != 8 || !strings.Contains(stdout, "networks   8 outputs in ") || !strings.Contains(stdout, "Net(a,0)[") {
		t.Errorf("ε %v, %d outputs, printed\n%s", r.Epsilon, len(r.Outputs), stdout)
	}
	// The energy is that of the rows with the outputs in them.
	if e := r.Program.Energy(r.Y, r.Outputs, nil); math.Abs(e-r.Energy) > 1e-9 {
		t.Errorf("energy %v, by the rows %v", r.Energy, e)
	}
	// Inferred again without any row left out, a component has the same values.
	for target, y := range r.Y {
		if again, err := r.inferWithout(t.Context(), target, r.componentOf(target)); err != nil || math.Abs(*again-y) > 1e-6 {
			t.Errorf("target %d: inferred again %v, %v, at first %v", target, again, err, y)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "NET.txt"))
	if err != nil || strings.Count(string(text), "\n") != 8 || !strings.HasPrefix(string(text), "a\t0\t0.") {
		t.Errorf("NET.txt holds %q, %v", text, err)
	}
	if _, stdout := runArgs(t, "-model", file, "-weights", dir, "-D", "inference.skip=true", "-D", "inference.initialvalue=HALF"); strings.Contains(stdout, "NaN") {
		t.Errorf("without inference:\n%s", stdout)
	}
	_, stdout = runArgs(t, "-model", file, "-weights", dir, "-json")
	var s struct {
		Weights string
		Atoms   []atomValue
	}
	if err := json.Unmarshal([]byte(stdout), &s); err != nil || s.Weights != dir || len(s.Atoms) != 16 || s.Atoms[0].Predicate != "Net" || s.Atoms[0].Value != r.Outputs[0] {
		t.Errorf("%v: JSON %s", err, stdout)
	}
}

// TestWeightsErrors: what a run folder must be, and when there must be one.
func TestWeightsErrors(t *testing.T) {
	file, dir, _ := trainedRun(t)
	plain := filepath.Join(filepath.Dir(file), "plain.json")
	require.NoError(t, os.WriteFile(plain, []byte(smokers), 0o666))
	other := filepath.Join(filepath.Dir(file), "other.json")
	require.NoError(t, os.WriteFile(other, []byte(strings.Replace(networked, "1: Near(X, W) & Y(X, C) -> Y(W, C) ^2", "1: Near(W, X) & Y(X, C) -> Y(W, C) ^2", 1)), 0o666))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-model", file}, "model.json has networks: train them with cmd/train -model "},
		{[]string{"-model", file, "-learn", "sp"}, "cmd/train -model learns them and the rules"},
		{[]string{"-model", file, "-weights", dir, "-rules", "x"}, "-weights brings the rules' weights with it"},
		{[]string{"-model", file, "-weights", "/nowhere"}, "-weights: checkpoint: cannot read the folder /nowhere"},
		{[]string{"-model", plain, "-weights", dir}, "weighted rules, the run in "},
		{[]string{"-model", other, "-weights", dir}, "-weights: weighted rule 2 is 1: Near(W, X)"},
	} {
		refused(t, exit.Usage, test.want, test.args...)
	}
}
