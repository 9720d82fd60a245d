package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
)

const (
	tinyModel = `{"rules": ["1: A(X) -> B(X) ^2"], "options": {"inference.normalize": false},
		"predicates": {"A/1": {"observations": [["x"]]}, "B/1": {"targets": [["x"]]}}}`
	// min (1 - y)² + 1·((1 - y)² + y²): y = 2/3, value 2/9 + 4/9.
	tinyCase = `{"epsilon": 1, "optimum": {"regularised": 0.6666666666666666}}`
)

// writeCase writes a case of the given name under root.
func writeCase(t *testing.T, root, name, model, about string) string {
	t.Helper()
	dir := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(dir, 0o777))
	for file, text := range map[string]string{"model.json": model, "case.json": about} {
		if text == "" {
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
	}
	return dir
}

// instanceOf grounds and compiles a source.
func instanceOf(t *testing.T, s *source) *lcqp.Instance {
	t.Helper()
	p, err := s.ground(context.Background())
	require.NoError(t, err)
	in, err := lcqp.NewInstance(p, s.epsilon)
	require.NoError(t, err)
	return in
}

// The optimum of a case is compared with; a wrong one shows.
func TestCase(t *testing.T) {
	root := t.TempDir()
	dir := writeCase(t, root, "tiny", tinyModel, tinyCase)
	names, err := CaseNames(root)
	if err != nil || len(names) != 1 || names[0] != "tiny" {
		t.Fatal(names, err)
	}
	if _, err := CaseNames(dir); err == nil {
		t.Error("a folder without cases is accepted")
	}
	writeCase(t, root, "wrong", tinyModel, strings.Replace(tinyCase, "0.666", "0.9", 1))
	for name, off := range map[string]bool{"tiny": false, "wrong": true} {
		var row Row
		task := &Task{Cell: cell(CasePrefix+name, 0, "auto"), Sources: Sources{Cases: root}, Limit: 10 * time.Second, Repeat: 1}
		require.NoError(t, Measure(context.Background(), task, func(r Row) { row = r }))
		if row.ValueError == nil || math.Abs(row.Value-2.0/3) > 1e-9 || (*row.ValueError > 1e-9) != off {
			t.Errorf("%s: %+v", name, row)
		}
		if row.Warm.Wall == 0 || row.WarmStatus != "solved" {
			t.Errorf("%s: the constants were not moved: %+v", name, row)
		}
	}
}

// Mistakes in cases name the file.
func TestCaseMistakes(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct{ model, about, want string }{
		"no model":       {"", tinyCase, "model.json"},
		"no description": {tinyModel, "", "case.json"},
		"bad model":      {"{", tinyCase, "model.json"},
		"bad case":       {tinyModel, "{", "case.json"},
	} {
		writeCase(t, root, name, c.model, c.about)
		_, err := Sources{Cases: root}.open(cell(CasePrefix+name, 0, "auto"))
		assert.ErrorContainsf(t, err, c.want, "%s", name)
	}
	if _, err := CaseNames(filepath.Join(root, "nowhere")); err == nil {
		t.Error("no folder is no error")
	}
}

// A move changes outputs where there are some, else constants of potentials,
// by Move at most; constraints stay.
func TestMove(t *testing.T) {
	root := t.TempDir()
	writeCase(t, root, "tiny", tinyModel, tinyCase)
	for _, c := range []Cell{cell(CasePrefix+"tiny", 0, "auto"), cell("citation", 2000, "auto"), cell("add1-soft", 547, "auto")} {
		s, err := Sources{Cases: root}.open(c)
		require.NoError(t, err)
		in := instanceOf(t, s)
		outputs := s.family != nil && len(s.family.Outputs) > 0
		if outputs {
			require.NoError(t, in.SetDeep(s.family.Outputs))
		}
		before := append([]float64(nil), in.B...)
		require.NoError(t, s.move(in, rand.New(rand.NewPCG(1, 1))))
		moved := 0
		for k, b := range in.B {
			d := math.Abs(b - before[k])
			if d > 0 {
				moved++
			}
			if !outputs && (d > Move || d > 0 && k < in.Constraints) {
				t.Fatalf("%s: constant %d of %d constraints moves by %v", c, k, in.Constraints, d)
			}
		}
		if moved == 0 {
			t.Errorf("%s: nothing moves", c)
		}
	}
}

func TestServedCases(t *testing.T) {
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	task := &Task{Cell: cell("case:acquaintances", 0, "auto"), Sources: Sources{Cases: root}, Limit: 20 * time.Second, Repeat: 1}
	var row Row
	require.NoError(t, Measure(context.Background(), task, func(r Row) { row = r }))
	if row.Terms != 4532 || *row.ValueError > 1e-5*max(1, row.Value) {
		t.Errorf("%+v", row)
	}
}
