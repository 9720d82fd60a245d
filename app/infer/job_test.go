package infer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// smokers is a model with one component and a target in no rule.
const smokers = `{"rules": ["1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "Smokes('bob') + Smokes('cleo') <= 1.5 ."],
	"predicates": {"Friends/2": {"observations": [["ann", "bob"], ["bob", "cleo"]]},
		"Smokes/1": {"observations": [["ann"]], "targets": [["bob"], ["cleo"], ["zoe"]], "truth": [["bob", 1]],
			"evaluations": ["DiscreteEvaluator", {"evaluator": "DiscreteEvaluator", "options": {"discreteevaluator.threshold": 0.9}}]}},
	"options": {"inference.normalize": false}}`

// testJob makes a job for a model, with captured output.
func testJob(t *testing.T, model string, args ...string) (j *job, stdout *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte(model), 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := parse(append([]string{"-model", path, "-quiet"}, args...), nil)
	if err != nil {
		t.Fatal(err)
	}
	stop := watchSignals(func(string) {})
	t.Cleanup(stop.close)
	stdout = new(bytes.Buffer)
	return newJob(o, stop, newProgress(os.Stderr, true), stdout), stdout
}

// solved runs a job up to the solution.
func solved(t *testing.T, model string, args ...string) *job {
	t.Helper()
	j, _ := testJob(t, model, args...)
	for _, step := range []func() error{j.load, j.ground, j.solve} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// A job that is stopped writes nothing and says so.
func TestStopped(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	j, stdout := testJob(t, smokers, "-out", out)
	j.stop.cancel()
	if err := j.run(); err == nil || !errors.Is(err, j.stop.ctx.Err()) {
		t.Errorf("the job ended with %v", err)
	}
	if files, _ := os.ReadDir(out); len(files) != 0 || stdout.Len() != 0 {
		t.Errorf("the stopped job wrote %v and %q", files, stdout)
	}
}

// quietStopper never stops anything, quietProgress says nothing.
func quietStopper() *stopper {
	ctx, cancel := context.WithCancel(context.Background())
	return &stopper{ctx: ctx, cancel: cancel, now: make(chan struct{}), note: func(string) {}}
}

func quietProgress() *progress { return newProgress(null, true) }

var null, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
