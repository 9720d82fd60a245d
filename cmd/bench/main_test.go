package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bench": main})
}

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs the command and checks its exit code, and that an error is told on
// one line:
//
//	exits CODE ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("bench", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("bench: %v", err)
	}
	if got != want {
		ts.Fatalf("bench %v: exit code %d, want %d", args[1:], got, want)
	}
	if text := ts.ReadFile("stderr"); want != 0 && strings.Count(text, "\n") != 1 {
		ts.Fatalf("bench %v: an error on other than one line:\n%s", args[1:], text)
	}
}
