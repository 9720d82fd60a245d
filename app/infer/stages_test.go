package infer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/model"
)

// smokers is a model with one component and a target in no rule.
const smokers = `{"rules": ["1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "Smokes('bob') + Smokes('cleo') <= 1.5 ."],
	"predicates": {"Friends/2": {"observations": [["ann", "bob"], ["bob", "cleo"]]},
		"Smokes/1": {"observations": [["ann"]], "targets": [["bob"], ["cleo"], ["zoe"]], "truth": [["bob", 1]],
			"evaluations": ["DiscreteEvaluator", {"evaluator": "DiscreteEvaluator", "options": {"discreteevaluator.threshold": 0.9}}]}},
	"options": {"inference.normalize": false}}`

// testCommand makes a command for a model, with captured output.
func testCommand(t *testing.T, model string, args ...string) (c *command, stdout *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	require.NoError(t, os.WriteFile(path, []byte(model), 0o666))
	o, err := parse(append([]string{"-model", path, "-quiet"}, args...), nil)
	require.NoError(t, err)
	stop := watchSignals(func(string) {})
	t.Cleanup(stop.close)
	stdout = new(bytes.Buffer)
	return newCommand(o, stop, newProgress(os.Stderr, true), stdout), stdout
}

// upToSolve goes through the stages up to the solution.
func (c *command) upToSolve() (*solution, error) {
	in, err := c.read(model.Partition(c.partition))
	if err != nil {
		return nil, err
	}
	p, err := c.ground(in)
	if err != nil {
		return nil, err
	}
	return c.solve(p)
}

// solved solves a model, which the command then judges.
func solved(t *testing.T, model string, args ...string) (*command, *solution) {
	t.Helper()
	c, _ := testCommand(t, model, args...)
	s, err := c.upToSolve()
	require.NoError(t, err)
	return c, s
}

// A command that is stopped writes nothing and says so.
func TestStopped(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c, stdout := testCommand(t, smokers, "-out", out)
	c.stop.cancel()
	if _, err := c.run(); err == nil || !errors.Is(err, c.stop.ctx.Err()) {
		t.Errorf("the command ended with %v", err)
	}
	if files, _ := os.ReadDir(out); len(files) != 0 || stdout.Len() != 0 {
		t.Errorf("the stopped command wrote %v and %q", files, stdout)
	}
}

// quietStopper never stops anything, quietProgress says nothing.
func quietStopper() *stopper {
	ctx, cancel := context.WithCancel(context.Background())
	return &stopper{ctx: ctx, cancel: cancel, now: make(chan struct{}), note: func(string) {}}
}

func quietProgress() *progress { return newProgress(null, true) }

var null, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
