//go:build mpi

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/cluster/mpi/mpitest"
	"hinge/symbolic/familytest"
)

// program is this binary under the name by which it is the command.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "infer")
	require.NoError(t, os.Symlink(self, path))
	return path
}

// written is a model of a family as files.
func written(t *testing.T, family string, terms int) string {
	t.Helper()
	f, err := familytest.Find(family)
	require.NoError(t, err)
	m, err := f.Model(terms, 3)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, m.Write(dir))
	return filepath.Join(dir, "model.json")
}

// outcome is what -json prints.
type outcome struct {
	Objective, Primal, Dual  float64
	Status                   string
	Terms, Components, Ranks int
	Shared                   int `json:"shared_targets"`
	Iterations               int
	Constraints, Targets     int
	MaxViolation             float64 `json:"max_violation"`
	values                   map[string]float64
	Metrics                  map[string]map[string]map[string]float64
}

// run runs the command and reads what it has printed and written to dir.
func run(t *testing.T, cmd *exec.Cmd, dir string) *outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	o := &outcome{values: map[string]float64{}}
	if err := json.Unmarshal(out.Bytes(), o); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			at := strings.LastIndexByte(line, '\t')
			v, err := strconv.ParseFloat(line[at+1:], 64)
			require.NoError(t, err)
			o.values[filepath.Base(file)+line[:at]] = v
		}
	}
	return o
}

// TestRanks: two and four ranks under each MPI have the answer of one process, checked
// outside the solver, on a program that is cut near its border, one in which most is in
// common, and one in small components.
func TestRanks(t *testing.T) {
	launchers, infer := mpitest.Launchers(t), program(t)
	examples := filepath.Join("..", "..", "examples")
	for _, c := range []struct {
		name, model, epsilon string
		common               bool
	}{
		{"chain", written(t, "chain", 60000), "0.01", true},
		{"citation", written(t, "citation", 15000), "0.1", true},
		{"add1-sharp", written(t, "add1-sharp", 20000), "0.001", false},
		{"example", filepath.Join(examples, "entity-resolution", "model.json"), "0.001", false},
	} {
		args := []string{"-model", c.model, "-epsilon", c.epsilon, "-learn", "none", "-json", "-quiet", "-check", "-out"}
		dir := t.TempDir()
		one := run(t, exec.Command(infer, append(args, dir)...), dir)
		for _, l := range launchers {
			for _, ranks := range []int{2, 4} {
				dir := t.TempDir()
				got := run(t, l.Command(t.Context(), ranks, infer, append(args, dir)...), dir)
				t.Logf("%s, %s, %d ranks: %d of %d targets in common, %d iterations, objective %.10g of %.10g", c.name, l.Name, ranks,
					got.Shared, got.Targets, got.Iterations, got.Objective, one.Objective)
				if got.Status != "solved" && got.Status != "almost_solved" || got.Ranks != ranks || c.common && got.Shared == 0 ||
					got.Terms != one.Terms || got.Constraints != one.Constraints || got.Targets != one.Targets || got.Components != one.Components {
					t.Errorf("%s, %s, %d ranks: %+v, one process %+v", c.name, l.Name, ranks, got, one)
				}
				if math.Abs(got.Objective-one.Objective) > 1e-5*(1e-3+math.Abs(one.Objective)) || math.Abs(got.Primal-one.Primal) > 1e-6*(1e-3+math.Abs(one.Primal)) {
					t.Errorf("%s, %s, %d ranks: objective %v, primal %v, one process %v and %v", c.name, l.Name, ranks, got.Objective, got.Primal, one.Objective, one.Primal)
				}
				worst := 0.0
				for name, v := range one.values {
					w, ok := got.values[name]
					if !ok {
						t.Fatalf("%s, %s, %d ranks: no value of %s", c.name, l.Name, ranks, name)
					}
					worst = max(worst, math.Abs(v-w))
				}
				if len(got.values) != len(one.values) || worst > 1e-3 {
					t.Errorf("%s, %s, %d ranks: %d values, differing by up to %v; one process has %d", c.name, l.Name, ranks, len(got.values), worst, len(one.values))
				}
			}
		}
	}
}

// TestStartErrors: a mistake ends all ranks with its exit code and is told once.
func TestStartErrors(t *testing.T) {
	launchers, infer := mpitest.Launchers(t), program(t)
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	good := write("good.json", `{"rules": ["1: A(X) -> B(X)"], "predicates": {"A/1": {"observations": [["x"], ["y"]]}, "B/1": {"targets": [["x"], ["y"]]}}}`)
	rules := write("rules.json", `{"rules": ["1: A(X) -> C(X)"], "predicates": {"A/1": {"observations": [["x"]]}, "B/1": {"targets": [["x"]]}}}`)
	data := write("data.json", `{"rules": ["1: A(X) -> B(X)"], "predicates": {"A/1": {"observations": ["none.txt"]}, "B/1": {"targets": [["x"]]}}}`)
	infeasible := write("infeasible.json", `{"rules": ["B(X) = 1 .", "B(X) <= 0.5 ."], "predicates": {"B/1": {"targets": [["x"], ["y"], ["z"]]}}}`)
	// Each rank's rows can be met.
	apart := write("apart.json", `{"rules": ["L(A) -> V('t') .", "H(A) -> !V('t') ."], "predicates": {
		"L/1": {"observations": [["a"], ["b"]]}, "V/1": {"targets": [["t"]]}, "H/1": {"observations": [["y"], ["z"]]}}}`)
	for _, l := range launchers {
		for _, c := range []struct {
			code int
			args []string
			want string
		}{
			{2, []string{"-model", rules}, "unknown predicate C"},
			{3, []string{"-model", data}, "there is no data file"},
			{4, []string{"-model", infeasible}, "the model is infeasible"},
			{4, []string{"-model", apart, "-split", "blocks"}, "contradict each other across ranks"},
			{2, []string{"-model", good, "-method", "bcd"}, "-method bcd is for one process"},
			{2, []string{"-model", good, "-explain", "B(x)"}, "-explain is for one process"},
			{2, []string{"-model", good, "-split", "fair"}, "-split \"fair\" is none of blocks, graph, hash"},
			{2, []string{"-model", good, "-mpi", "libnosuchmpi.so"}, "no MPI library: tried libnosuchmpi.so"},
		} {
			cmd := l.Command(t.Context(), 2, infer, append(c.args, "-quiet")...)
			out, err := cmd.CombinedOutput()
			said := strings.Count("\n"+string(out), "\ninfer: ")
			if err == nil || cmd.ProcessState.ExitCode() != c.code || said != 1 || !bytes.Contains(out, []byte(c.want)) {
				t.Errorf("%s, %v: %v, said %d times, want exit code %d:\n%s", l.Name, c.args, err, said, c.code, out)
			}
		}
	}
}
