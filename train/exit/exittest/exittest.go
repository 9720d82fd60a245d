// Package exittest checks the exit codes of the commands in scripts (package
// testscript of github.com/rogpeppe/go-internal).
package exittest

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Errors says how a command reports an error on its standard error.
type Errors int

const (
	// OneLine is exactly one line.
	OneLine Errors = iota
	// Text is at least a word: an error in a rule file shows the place as well.
	Text
)

// Commands returns the script command "exits", which runs the named program and
// fails unless it ends with the given code and, if that is not 0, reports its
// error in the given form:
//
//	exits CODE ARG...
func Commands(program string, form Errors) map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits": func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) < 1 {
				ts.Fatalf("usage: exits CODE ARG...")
			}
			want, err := strconv.Atoi(args[0])
			ts.Check(err)
			err = ts.Exec(program, args[1:]...)
			ts.Check(check(err, want, form, ts.ReadFile("stderr")))
		},
	}
}

// check compares how a program ended and what it said with what is wanted.
func check(ended error, want int, form Errors, said string) error {
	got := 0
	var exit *exec.ExitError
	if errors.As(ended, &exit) {
		got = exit.ExitCode()
	} else if ended != nil {
		return ended
	}
	switch {
	case got != want:
		return fmt.Errorf("exit code %d, want %d; it said: %s", got, want, said)
	case want != 0 && form == OneLine && strings.Count(said, "\n") != 1:
		return fmt.Errorf("an error on other than one line:\n%s", said)
	case want != 0 && strings.TrimSpace(said) == "":
		return fmt.Errorf("exit code %d without a word", got)
	}
	return nil
}
