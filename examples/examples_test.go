package examples_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	_ "hinge/symbolic/facts/drivers"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	_ "hinge/symbolic/infer/baselines"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
)

// atLeast are the figures that the examples must reach. Beside them stands what
// is had without the rules: the share of the larger class, the classifier
// alone, the mean.
var atLeast = []struct {
	example, predicate, evaluator, metric string
	want                                  float64
	smaller                               bool // smaller is better
}{
	{"smokers", "Smokes", "Discrete", "accuracy", 1, false},                    // 0.5
	{"smokers", "Cancer", "Discrete", "accuracy", 1, false},                    // 0.5
	{"acquaintances", "Knows", "Discrete", "accuracy", 0.8, false},             // 0.63
	{"acquaintances", "Knows", "AUC", "auroc", 0.8, false},                     // 0.5
	{"link-prediction", "Link", "AUC", "auroc", 0.7, false},                    // 0.5
	{"link-prediction", "Link", "Discrete", "accuracy", 0.7, false},            // 0.62
	{"trust-prediction", "Trusts", "AUC", "auroc", 0.8, false},                 // 0.5
	{"trust-prediction", "Trusts", "Discrete", "accuracy", 0.75, false},        // 0.56
	{"entity-resolution", "Same", "Discrete", "accuracy", 0.85, false},         // 0.58
	{"entity-resolution", "Same", "Discrete", "f1", 0.85, false},               // 0.59
	{"entity-resolution", "Same", "AUC", "auroc", 0.94, false},                 // 0.5
	{"matching", "Same", "Discrete", "f1", 0.97, false},                        // 0: no match
	{"matching", "Same", "AUC", "positive_auprc", 0.99, false},                 // 0.20
	{"citation", "Topic", "Categorical", "accuracy", 0.9, false},               // 0.60
	{"weight-learning", "Votes", "Discrete", "accuracy", 0.4, false},           // 0.57; its weights are to be learned
	{"shop", "Rating", "Continuous", "mae", 0.17, true},                        // 0.193
	{"similarity-regression", "Rent", "Continuous", "mse", 0.2 * 0.0312, true}, // 0.0312
	{"similarity-regression", "Rent", "Continuous", "mae", 0.4 * 0.1479, true}, // 0.1479
}

// solved is an example with its optimum.
type solved struct {
	model    *model.Model
	program  []string // targets
	result   infer.Result
	instance *lcqp.Instance
	metrics  []model.Result
}

// solve loads, grounds, solves and judges a model.
func solve(t *testing.T, path, method string) *solved {
	t.Helper()
	m, err := model.Load(path, model.LoadOptions{})
	require.NoError(t, err)
	if len(m.Unused) > 0 {
		t.Errorf("%s: unused options %v", path, m.Unused)
	}
	p, err := ground.Ground(context.Background(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	epsilon := m.Options.Epsilon
	if epsilon == 0 {
		epsilon = 0.01
	}
	s := &solved{model: m, program: p.Targets}
	if s.instance, err = template.NewInstance(epsilon); err != nil {
		t.Fatal(err)
	}
	how, err := infer.New(method)
	require.NoError(t, err)
	require.NoError(t, infer.Solve(s.instance, nil, infer.Settings{Method: how}, &s.result))
	if err := s.result.Err(); err != nil {
		t.Fatalf("%s by %s: %v", path, method, err)
	}
	if r := lcqp.Residuals(s.instance, &s.result.Solution); !(r.Max() <= 1e-6) {
		t.Errorf("%s by %s is no optimum: %+v", path, method, r)
	}
	if v := p.Violation(s.result.Y, nil); !(v <= 1e-9) {
		t.Errorf("%s by %s violates a hard rule by %v", path, method, v)
	}
	if s.metrics, err = m.Evaluate(s.result.Y, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// metric finds a figure of a solved model.
func (s *solved) metric(t *testing.T, predicate, evaluator, name string) float64 {
	t.Helper()
	for _, m := range s.metrics {
		if m.Predicate == predicate && m.Name() == evaluator {
			if v, ok := m.Get(name); ok {
				return v
			}
		}
	}
	t.Fatalf("%v has no %s of %s, %s", s.model, name, predicate, evaluator)
	return 0
}

// TestExamples runs every folder with a model by both exact methods.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("*", "model.json"))
	paths = append(paths, filepath.Join("matching", "model.yaml"))
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	for _, path := range paths {
		name := filepath.Dir(path)
		if m, err := model.Load(path, model.LoadOptions{}); err == nil && m.Data.DeepAtoms() > 0 {
			continue // their networks are learned first: TestNetworks
		}
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(name, "data")); errors.Is(err, fs.ErrNotExist) {
				t.Skip("its data are made by go run ./lab/generate, see its README")
			}
			s, other := solve(t, path, "auto"), solve(t, path, "ipm")
			if d := math.Abs(s.result.PrimalValue - other.result.PrimalValue); d > 1e-7*(1+s.result.PrimalValue) {
				t.Errorf("bcd finds %v, ipm %v", s.result.PrimalValue, other.result.PrimalValue)
			}
			for i, y := range s.result.Y {
				if math.Abs(y-other.result.Y[i]) > 1e-3 {
					t.Errorf("%s is %v by bcd and %v by ipm", s.program[i], y, other.result.Y[i])
				}
			}
			for i, m := range s.metrics {
				for k, v := range m.Metrics {
					o, tolerance := other.metrics[i].Metrics[k], 0.0
					if v.Name == "calibration_error" { // of values, which agree to their tolerance
						tolerance = 1e-6
					}
					if m.Name() != "Continuous" && (v.Name != o.Name || math.Abs(v.Value-o.Value) > tolerance) {
						t.Errorf("%s, %s: %v by bcd and %v by ipm", m.Predicate, m.Name(), v, o)
					}
				}
			}
			figures := 0
			for _, f := range atLeast {
				if f.example != name {
					continue
				}
				figures++
				v := s.metric(t, f.predicate, f.evaluator, f.metric)
				t.Logf("%s, %s: %s %.4f", f.predicate, f.evaluator, f.metric, v)
				if f.smaller && v > f.want || !f.smaller && v < f.want {
					t.Errorf("%s, %s: %s is %.4f, want %.4f or better", f.predicate, f.evaluator, f.metric, v, f.want)
				}
			}
			if figures == 0 {
				t.Error("no figure is asked of this example")
			}
			for _, file := range []string{"README.md", "rules.psl"} {
				if _, err := os.Stat(filepath.Join(name, file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The smokers in YAML are the smokers.
func TestYAMLTwin(t *testing.T) {
	a, b := solve(t, filepath.Join("smokers", "model.json"), "auto"), solve(t, filepath.Join("smokers", "model.yaml"), "auto")
	if a.model.Rules.String() != b.model.Rules.String() || a.result.PrimalValue != b.result.PrimalValue || len(a.result.Y) != len(b.result.Y) {
		t.Errorf("JSON %v, YAML %v", a.result.PrimalValue, b.result.PrimalValue)
	}
	for i, y := range a.result.Y {
		if a.program[i] != b.program[i] || y != b.result.Y[i] {
			t.Errorf("target %d: %s = %v in JSON, %s = %v in YAML", i, a.program[i], y, b.program[i], b.result.Y[i])
		}
	}
}
