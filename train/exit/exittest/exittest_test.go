package exittest

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"three": func() {
			os.Stderr.WriteString("one line\n") //nolint:errcheck // nobody to tell
			os.Exit(3)
		},
	})
}

func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Cmds: Commands("three", OneLine)})
}

func TestCheck(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.undefined").Run() // code 2
	if ended == nil {
		t.Fatal("a test binary takes any flag")
	}
	missing := errors.New("no such program")
	for name, tc := range map[string]struct {
		ended error
		want  int
		form  Errors
		said  string
		fails string // part of the error; empty for none
	}{
		"done":               {nil, 0, OneLine, "", ""},
		"warnings":           {nil, 0, OneLine, "a\nb\n", ""},
		"one line":           {ended, 2, OneLine, "a\n", ""},
		"two lines":          {ended, 2, OneLine, "a\nb\n", "other than one line"},
		"two lines allowed":  {ended, 2, Text, "a\nb\n", ""},
		"no word":            {ended, 2, Text, "\n", "without a word"},
		"another code":       {ended, 3, Text, "a\n", "exit code 2, want 3"},
		"success unexpected": {nil, 3, Text, "", "exit code 0, want 3"},
		"not run at all":     {missing, 3, Text, "", "no such program"},
	} {
		err := check(tc.ended, tc.want, tc.form, tc.said)
		if (err == nil) != (tc.fails == "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
			t.Errorf("%s: got %v, want %q", name, err, tc.fails)
		}
	}
}
