package console

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgressFile: the file is there from the start, holds the newest figures, and says
// when the run has ended.
func TestProgressFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "progress.json")
	read := func() (s Status) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		require.NoError(t, err)
		return s
	}
	var out strings.Builder
	w, err := Watch(newLines(&out, Text, false), path)
	require.NoError(t, err)
	if s := read(); s.State != "waiting" {
		t.Errorf("before the start: %+v", s)
	}
	drive(w)
	s := read()
	if s.State != "ended" || s.Task != "toy" || s.Loss != "energy" || s.Step != 3 || s.Steps != 3 || s.Valid != .5 ||
		*s.Parts != .75 || *s.Value != .25 || s.Solves != 6 || s.Unsolved != 1 || s.NeuralS != .2 {
		t.Errorf("at the end: %+v", s)
	}
	if text := out.String(); !strings.Contains(text, "msg=valid step=3") {
		t.Errorf("nothing passed on: %s", text)
	}
}

// TestProgressFileFails: a file that cannot be written is an error at once, and later a
// note, once; the run goes on.
func TestProgressFileFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sub")
	if _, err := Watch(newLines(new(strings.Builder), Text, false), filepath.Join(dir, "p")); err == nil {
		t.Error("no error for a folder that is not there")
	}
	require.NoError(t, os.Mkdir(dir, 0o755))
	var out strings.Builder
	w, err := Watch(newLines(&out, Text, false), filepath.Join(dir, "p"))
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	drive(w)
	if text := out.String(); strings.Count(text, "no longer written") != 1 || !strings.Contains(text, "msg=valid") {
		t.Errorf("it said\n%s", text)
	}
}
