package model

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// casesRoot is the folder HINGE_CASES; without it the test is skipped.
func casesRoot(t *testing.T) string {
	t.Helper()
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	return root
}

// optimum reads the known optimum of a case in the order of the model's
// targets.
func optimum(t *testing.T, m *Model, dir string) []float64 {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "expected", "optimum.tsv.gz"))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	y := make([]float64, m.Data.Targets())
	seen := 0
	for lines := bufio.NewScanner(z); lines.Scan(); seen++ {
		fields := strings.Split(lines.Text(), "\t")
		last := len(fields) - 1
		i, ok := m.Data.TargetIndex(fields[0], fields[1:last]...)
		v, err := strconv.ParseFloat(fields[last], 64)
		if !ok || err != nil {
			t.Fatalf("line %q names no target, or no value (%v)", lines.Text(), err)
		}
		y[i] = v
	}
	require.Equal(t, len(y), seen, "the case")
	return y
}

// TestCases loads the solved cases and evaluates their known optimum: the
// metrics are those that the reference prints for its own solution, which lies
// within 0.005 of it.
func TestCases(t *testing.T) {
	root := casesRoot(t)
	paths, err := filepath.Glob(filepath.Join(root, "*", "case.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s, %v", root, err)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var want struct {
				Epsilon   float64
				Normalize bool `json:"normalize_weights"`
				Targets   int
				Optimum   struct{ Accuracy *float64 }
			}
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &want))
			m, err := Load(filepath.Join(dir, "model.json"), LoadOptions{Data: filepath.Join(dir, "data")})
			require.NoError(t, err)
			if m.Options.Epsilon != want.Epsilon || m.Options.Normalize != want.Normalize || m.Data.Targets() != want.Targets {
				t.Errorf("ε %v, normalised %v, %d targets, want %+v", m.Options.Epsilon, m.Options.Normalize, m.Data.Targets(), want)
			}
			// The file beside the model holds the same rules.
			src, err := os.ReadFile(filepath.Join(dir, "rules.psl"))
			require.NoError(t, err)
			assert.Equal(t, len(m.Rules.Rules), len(strings.Split(strings.TrimSpace(string(src)), "\n")))
			results, err := m.Evaluate(optimum(t, m, dir), nil)
			require.NoError(t, err)
			for _, r := range results {
				t.Logf("%s, %s: %v", r.Predicate, r.Name(), r.Metrics)
			}
			if a := want.Optimum.Accuracy; a != nil {
				// Ties between categories within the rounding of the file make
				// the last digit uncertain.
				if got, ok := results[0].Get("accuracy"); !ok || math.Abs(got-*a) > 0.01 {
					t.Errorf("accuracy %v, want %v", got, *a)
				}
			}
			if filepath.Base(dir) == "acquaintances" {
				for name, v := range map[string]float64{"accuracy": 0.915254, "f1": 0.933333, "positive_precision": 0.945946,
					"positive_recall": 0.921053, "negative_precision": 0.863636, "negative_recall": 0.904762} {
					if got, ok := results[0].Get(name); !ok || math.Abs(got-v) > 5e-7 {
						t.Errorf("%s is %v, the reference says %v", name, got, v)
					}
				}
			}
		})
	}
}
