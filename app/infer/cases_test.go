package infer

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCases runs every solved case of the folder HINGE_CASES as a user would and compares the
// object with the known optimum, and its metrics with those that the reference prints for its
// own solution, which lies within 0.005 of it.
func TestCases(t *testing.T) {
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	paths, err := filepath.Glob(filepath.Join(root, "*", "case.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s, %v", root, err)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		for _, args := range [][]string{
			{"-data", filepath.Join(dir, "data")}, {"-data", dir}, {}, {"-method", "ipm"}, {"-threads", "1"},
		} {
			t.Run(filepath.Base(dir), func(t *testing.T) {
				args = append([]string{"-model", filepath.Join(dir, "model.json"), "-json", "-quiet", "-check"}, args...)
				checkCase(t, path, args)
			})
		}
	}
}

func checkCase(t *testing.T, path string, args []string) {
	var want struct {
		Epsilon                    float64
		Targets, Terms, Components int
		TermsByType                map[string]int `json:"terms_by_type"`
		Optimum                    struct {
			Regularised, Unregularised float64
			Accuracy                   *float64
		}
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &want))
	c, _, err := newTestCommand(t, args...)
	require.NoError(t, err)
	r, err := c.run()
	require.NoError(t, err)
	s := r.summarise(c)
	t.Logf("%v: objective %.10g, primal %.12g, gap %.2g, violation %.2g, %s; ground %.3f s, solve %.3f s, %v",
		args[5:], *s.Objective, *s.Primal, *s.Gap, *s.MaxViolation, s.Status, s.GroundS, s.SolveS, s.Metrics)
	if s.Terms != want.Terms || s.Targets != want.Targets || s.Components != want.Components ||
		s.Constraints != want.TermsByType["EQ"]+want.TermsByType["LTE"] {
		t.Errorf("%d terms, %d constraints, %d targets, %d components, want %+v", s.Terms, s.Constraints, s.Targets, s.Components, want)
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
			t.Errorf("%s %.12g, want %.12g", what, got, want)
		}
	}
	near("objective", *s.Objective, want.Optimum.Unregularised)
	near("regularised value", *s.Primal, want.Optimum.Regularised)
	near("dual value", *s.Dual, want.Optimum.Regularised)
	if !(*s.Gap <= 1e-6) || !(*s.MaxViolation <= 1e-6) || s.Status != "solved" && s.Status != "almost_solved" {
		t.Errorf("gap %v, violation %v, status %s", *s.Gap, *s.MaxViolation, s.Status)
	}
	assert.Equal(t, want.Epsilon, r.Instance.Epsilon, "ε")
	metric := func(name string, want, tolerance float64) {
		if got, ok := r.metrics[0].Get(name); !ok || !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s is %v, the reference says %v", name, got, want)
		}
	}
	if a := want.Optimum.Accuracy; a != nil {
		metric("accuracy", *a, 0.01) // ties between categories make the last digit uncertain
	}
	if filepath.Base(filepath.Dir(path)) == "acquaintances" {
		for name, v := range map[string]float64{"accuracy": 0.915254, "f1": 0.933333, "positive_precision": 0.945946,
			"positive_recall": 0.921053, "negative_precision": 0.863636, "negative_recall": 0.904762} {
			metric(name, v, 5e-7)
		}
	}
}
