package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action, Test, Output, FailedBuild string
}

// Why a run has no outcome.
var (
	errCompile = errors.New("does not compile")
	errHangs   = errors.New("a test hangs")
	errEnded   = errors.New("ended outside a test")
)

// outcome holds the tests of a run that ended, in the order in which they did.
type outcome struct{ passed, failed []string }

// whole is the test that a subtest belongs to.
func whole(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

// first is the first test that failed of those that have to notice a mutation.
func (o *outcome) first(m *mutation) string {
	for _, test := range o.failed {
		if m.tests.MatchString(whole(test)) {
			return test
		}
	}
	return ""
}

// passes reports whether one of them passed.
func (o *outcome) passes(m *mutation) bool {
	return slices.ContainsFunc(o.passed, func(test string) bool { return m.tests.MatchString(whole(test)) })
}

// goTest runs tests of a package. An error says that there is no outcome: the package does
// not compile, a test hangs, or the program ended outside a test.
func (r *runner) goTest(ctx context.Context, pkg, run, overlay string) (*outcome, error) {
	args := []string{"test", "-json", "-vet=off", "-timeout", r.timeout.String(), "-run", run}
	if overlay != "" {
		args = append(args, "-count=1", "-failfast", "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = r.root
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // which go hands on to the tests
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HINGE_DATA=") || strings.HasPrefix(v, "HINGE_CASES=")
	})
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, err
	}
	return read(stdout, stderr.String(), err != nil)
}

// read makes an outcome of what go test wrote; failed tells how it ended.
func read(stdout []byte, stderr string, failed bool) (*outcome, error) {
	out := &outcome{}
	var said []string
	for d := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go test -json: %w", err)
		}
		switch {
		case e.FailedBuild != "" || e.Action == "build-fail":
			return nil, fmt.Errorf("%w: %s", errCompile, brief(said))
		case e.Output != "":
			said = append(said, e.Output)
			if strings.HasPrefix(e.Output, "panic: test timed out") {
				return nil, fmt.Errorf("%w: %s", errHangs, strings.TrimSpace(e.Output))
			}
		case e.Test != "" && e.Action == "pass":
			out.passed = append(out.passed, e.Test)
		case e.Test != "" && e.Action == "fail":
			out.failed = append(out.failed, e.Test)
		}
	}
	if failed && len(out.failed) == 0 {
		return nil, fmt.Errorf("%w: %s", errEnded, cmp.Or(strings.TrimSpace(stderr), brief(said)))
	}
	return out, nil
}

// brief is the end of an output.
func brief(lines []string) string {
	const most = 6
	return strings.TrimSpace(strings.Join(lines[max(len(lines)-most, 0):], ""))
}
