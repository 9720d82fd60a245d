package infer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/train/exit"
)

// shortcuts counts for a file of examples/ and returns what is printed with the exit code.
func shortcuts(t *testing.T, file string, args ...string) (string, int) {
	t.Helper()
	c, stdout := testCommand(t, smokers, append([]string{"-shortcuts"}, args...)...)
	c.Model = filepath.Join("..", "..", "examples", filepath.FromSlash(file))
	_, err := c.run()
	return stdout.String(), cli.ExitCode(err)
}

// TestShortcuts: what is printed, and the exit codes.
func TestShortcuts(t *testing.T) {
	text, code := shortcuts(t, "mnist-half/model.json")
	for _, want := range []string{"3 maps of the concepts", "3 2 3: Digit 2 and 3 may be swapped, 4 may be read as 3", "identified by every map: Digit 0, 1", "fewest found: Digit 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "SHORTCUTS.md"))
	if err != nil || !strings.Contains(string(page), text) {
		t.Errorf("docs/SHORTCUTS.md does not show what is printed, %v:\n%s", err, text)
	}
	if text, code := shortcuts(t, "mnist-half/model.json", "-json"); code != exit.OK || !strings.HasPrefix(strings.Join(strings.Fields(text), ""), `{"count":3,"complete":true,"unique":false,`) {
		t.Errorf("-json: exit code %d, %s", code, text)
	}
	if text, code = shortcuts(t, "mnist-half/model.json", "-strict"); code != exit.Data || !strings.HasPrefix(text, "3 maps") {
		t.Errorf("-strict: exit code %d, %q", code, text)
	}
	if text, code = shortcuts(t, "mnist-half/one-label.json", "-strict"); code != exit.OK || !strings.HasPrefix(text, "1 map ") {
		t.Errorf("one label: exit code %d, %q", code, text)
	}
	if _, code = shortcuts(t, "mnist-half/model.json", "-timeout", "1ns"); code != exit.Unsolved {
		t.Errorf("without time: exit code %d", code)
	}
	if _, code = shortcuts(t, "smokers/model.json"); code != exit.Data && code != exit.Usage {
		t.Errorf("no network: exit code %d", code)
	}
	for _, beside := range []string{"-learn=sp", "-check", "-weights=RUN"} {
		if _, err := problem.Parse([]string{"-model", "m.json", "-shortcuts", beside}, nil); cli.ExitCode(err) != exit.Usage || !strings.Contains(err.Error(), "-shortcuts") {
			t.Errorf("%s: %v", beside, err)
		}
	}
}
