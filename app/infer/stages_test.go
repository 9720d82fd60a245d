package infer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/symbolic/model"
)

// smokers is a model with one component and a target in no rule.
const smokers = `{"rules": ["1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "Smokes('bob') + Smokes('cleo') <= 1.5 ."],
	"predicates": {"Friends/2": {"observations": [["ann", "bob"], ["bob", "cleo"]]},
		"Smokes/1": {"observations": [["ann"]], "targets": [["bob"], ["cleo"], ["zoe"]], "truth": [["bob", 1]],
			"evaluations": ["DiscreteEvaluator", {"evaluator": "DiscreteEvaluator", "options": {"discreteevaluator.threshold": 0.9}}]}},
	"options": {"inference.normalize": false}}`

// newTestCommand makes a command of arguments, which may be mistaken, with captured output.
func newTestCommand(t *testing.T, args ...string) (*command, *bytes.Buffer, error) {
	t.Helper()
	o, err := problem.Parse(append([]string{"-quiet"}, args...), nil)
	if err != nil {
		return nil, nil, err
	}
	stop := watch.NewStopper(func(string) {})
	t.Cleanup(stop.Close)
	stdout := new(bytes.Buffer)
	return newCommand(o, stop, quietProgress(), stdout), stdout, nil
}

// modelFile writes a model to a file.
func modelFile(t *testing.T, model string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	require.NoError(t, os.WriteFile(path, []byte(model), 0o666))
	return path
}

// testCommand makes a command for a model, with captured output.
func testCommand(t *testing.T, model string, args ...string) (*command, *bytes.Buffer) {
	t.Helper()
	c, stdout, err := newTestCommand(t, append([]string{"-model", modelFile(t, model)}, args...)...)
	require.NoError(t, err)
	return c, stdout
}

// runArgs runs a command to its end, and returns what it prints as well.
func runArgs(t *testing.T, args ...string) (*report, string) {
	t.Helper()
	c, stdout, err := newTestCommand(t, args...)
	require.NoError(t, err)
	r, err := c.run()
	require.NoError(t, err)
	return r, stdout.String()
}

// ran is runArgs for a model.
func ran(t *testing.T, model string, args ...string) (*report, string) {
	t.Helper()
	return runArgs(t, append([]string{"-model", modelFile(t, model)}, args...)...)
}

// ranJSON is ran with -json, whose object it reads.
func ranJSON[T any](t *testing.T, model string, args ...string) (*report, T) {
	t.Helper()
	r, text := ran(t, model, append([]string{"-json"}, args...)...)
	var object T
	require.NoErrorf(t, json.Unmarshal([]byte(text), &object), "%s", text)
	return r, object
}

// refused runs a command that has to end with an error, in its flags or later, of an exit code.
func refused(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	c, _, err := newTestCommand(t, args...)
	if err == nil {
		_, err = c.run()
	}
	if err == nil || !strings.Contains(err.Error(), want) || cli.ExitCode(err) != code {
		t.Errorf("%v: %v, exit code %d, want %s, %d", args, err, cli.ExitCode(err), want, code)
	}
}

// upToGround goes through the stages up to the ground program, upToSolve up to the solution.
func (c *command) upToGround() (*problem.Problem, error) {
	in, err := c.Read(model.Partition(c.Partition))
	if err != nil {
		return nil, err
	}
	return c.Ground(in)
}

func (c *command) upToSolve() (*solution, error) {
	p, err := c.upToGround()
	if err != nil {
		return nil, err
	}
	return c.solve(p)
}

// grounded grounds a model.
func grounded(t *testing.T, model string, args ...string) *problem.Problem {
	t.Helper()
	c, _ := testCommand(t, model, args...)
	p, err := c.upToGround()
	require.NoError(t, err)
	return p
}

// solved solves a model, which the command then judges.
func solved(t *testing.T, model string, args ...string) (*command, *solution) {
	t.Helper()
	c, _ := testCommand(t, model, args...)
	s, err := c.upToSolve()
	require.NoError(t, err)
	return c, s
}

// A command that is stopped writes nothing and says so, inferring and learning.
func TestStopped(t *testing.T) {
	for model, learn := range map[string]string{smokers: "-quiet", schools: "-learn=sp"} {
		out := filepath.Join(t.TempDir(), "out")
		c, stdout := testCommand(t, model, "-out", out, learn)
		c.Stop.Cancel()
		if _, err := c.run(); err == nil || !errors.Is(err, c.Stop.Ctx.Err()) {
			t.Errorf("the command ended with %v", err)
		}
		if files, _ := os.ReadDir(out); len(files) != 0 || stdout.Len() != 0 {
			t.Errorf("the stopped command wrote %v and %q", files, stdout)
		}
	}
}

// quietStopper never stops anything, quietProgress says nothing.
func quietStopper() *watch.Stopper {
	ctx, cancel := context.WithCancel(context.Background())
	return &watch.Stopper{Ctx: ctx, Cancel: cancel, Now: make(chan struct{})}
}

func quietProgress() *watch.Progress { return watch.NewProgress("infer", null, true) }

var null, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
