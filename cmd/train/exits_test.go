package main

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits runs the train command and checks its exit code:
//
//	exits CODE ARG...
//
// An error must be told on exactly one line.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("train", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("train: %v", err)
	}
	if got != want {
		ts.Fatalf("train %v: exit code %d, want %d", args[1:], got, want)
	}
	if text := ts.ReadFile("stderr"); want != 0 && strings.Count(text, "\n") != 1 {
		ts.Fatalf("train %v: an error on other than one line:\n%s", args[1:], text)
	}
}
