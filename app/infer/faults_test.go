package infer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	_ "hinge/symbolic/facts/drivers"
	"hinge/train/exit"
)

// TestFaults runs each folder of faults and psl below HINGE_CASES: inputs of other people that
// once went wrong here. The values are those that its README derives, from arithmetic or from
// the reference system. The network that ends in an Identity has its test in models/onnxnet.
func TestFaults(t *testing.T) {
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	run := func(model string, args ...string) (code int, s summary, warnings string) {
		c, _, err := newTestCommand(t, append([]string{"-model", model, "-json"}, args...)...)
		require.NoError(t, err)
		r, err := c.run()
		if err != nil {
			return cli.ExitCode(err), s, err.Error()
		}
		s = *r.summarise(c)
		for _, p := range r.Data.Predicates() {
			for a := range r.results(p.Name) {
				s.Atoms = append(s.Atoms, atomValue{p.Name, a.Args, a.Value})
			}
		}
		for _, w := range s.Warnings {
			warnings += w.Message + "\n"
		}
		return exit.OK, s, warnings
	}
	values := func(s summary) map[string]float64 {
		all := map[string]float64{}
		for _, a := range s.Atoms {
			all[strings.Join(a.Arguments, "|")] = a.Value
		}
		return all
	}
	checks := map[string]func(t *testing.T, model string){
		"faults/csv-bom-quoted": func(t *testing.T, model string) {
			_, s, _ := run(model)
			assert.Equal(t, map[string]float64{"u1|i1": 1, "u2|i, 2": 0, "u3|i\n3": .5}, values(s))
		},
		"faults/threshold-half": func(t *testing.T, model string) {
			_, s, _ := run(model)
			assert.Equal(t, map[string]float64{"a": .5, "b": .5}, values(s), "printed as compared")
			m := s.Metrics["Sick"]["Discrete"]
			assert.Equal(t, []float64{1, 1, 1, 1}, []float64{m["accuracy"], m["f1"], m["positive_precision"], m["positive_recall"]})
		},
		// Rows of 0 to 499, or an error that says what cannot be read.
		"faults/parquet-lz4-raw": func(t *testing.T, model string) {
			file := filepath.Join(filepath.Dir(model), "req_500.parquet")
			raw, err := json.Marshal(file)
			require.NoError(t, err)
			model = filepath.Join(t.TempDir(), "model.json")
			require.NoError(t, os.WriteFile(model, []byte(`{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [{"parquet": `+string(raw)+`}]}}}`), 0o666))
			code, _, stderr := run(model)
			assert.Equal(t, exit.Data, code)
			assert.Contains(t, stderr, "LZ4_RAW")
		},
		"psl/header-false-alarm": func(t *testing.T, model string) {
			code, s, _ := run(model, "-strict")
			assert.Equal(t, exit.OK, code)
			assert.Empty(t, s.Warnings)
			assert.Equal(t, map[string]float64{"x": .35, "y": .1}, values(s))
		},
		"psl/joined-numbers": func(t *testing.T, model string) {
			_, s, stderr := run(model)
			assert.Equal(t, map[string]float64{"x": .4}, values(s))
			assert.Contains(t, stderr, "the reference system subtracts all")
		},
		"psl/mean-of-nothing": func(t *testing.T, model string) {
			_, _, stderr := run(model)
			assert.Regexp(t, regexp.MustCompile(`divides by is 0 in 1 of its groundings`), stderr)
			_, _, stderr = run(model, "-strict")
			assert.Contains(t, stderr, "-strict: 1 warning")
		},
		"psl/auc-threshold-float": func(t *testing.T, model string) {
			_, s, _ := run(model)
			assert.Equal(t, 1., s.Metrics["A"]["AUC"]["auroc"])
		},
		// Every method that solves it to the gap has one optimum (ε makes it unique).
		"psl/auto-citation": func(t *testing.T, model string) {
			if testing.Short() {
				t.Skip("it takes some seconds")
			}
			_, by, _ := run(model, "-method", "ipm", "-quiet")
			_, s, _ := run(model, "-quiet")
			assert.Equal(t, 15162, s.Targets)
			assert.InDelta(t, *by.Objective, *s.Objective, 1e-4)
		},
		"psl/hard-rule-with-filter": func(t *testing.T, _ string) { // the model of its program
			model := filepath.Join(t.TempDir(), "model.json")
			require.NoError(t, os.WriteFile(model, []byte(`{"rules": ["B(X, +K) = D(X) . {K: C(K)}"], "predicates": {
				"B/2": {"observations": [["x", "p", 0.5], ["x", "q", 0.3]]}, "C/1": {"observations": [["p"]]}, "D/1": {"targets": [["x"]]}}}`), 0o666))
			_, s, _ := run(model)
			assert.Equal(t, map[string]float64{"x": .5}, values(s))
		},
		"faults/onnx-softmax-identity": nil, // ONNX
	}
	for _, kind := range []string{"faults", "psl"} {
		folders, err := os.ReadDir(filepath.Join(root, kind))
		require.NoError(t, err)
		for _, f := range folders {
			if !f.IsDir() {
				continue
			}
			name := kind + "/" + f.Name()
			check, known := checks[name]
			if !known {
				t.Errorf("no test runs the case %s", name)
			}
			if check != nil {
				t.Run(name, func(t *testing.T) { check(t, filepath.Join(root, filepath.FromSlash(name), "model.json")) })
			}
		}
	}
}
