package train

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// halves are the options of a run of an example, with further flags.
func halves(t *testing.T, file string, args ...string) *options {
	t.Helper()
	o, err := parse([]learning.Task{modelfile.Task{}}, append([]string{"-model", filepath.Join("..", "..", "examples", filepath.FromSlash(file))}, args...), io.Discard)
	require.NoError(t, err)
	return o
}

// said is what a call writes to standard error.
func said(t *testing.T, call func() error) (string, error) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	old := os.Stderr
	os.Stderr = w
	called := call()
	os.Stderr = old
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text), called
}

// TestShortcuts: the count, the line at the start of a run and what -strict makes of both.
func TestShortcuts(t *testing.T) {
	var b bytes.Buffer
	if err := countShortcuts(context.Background(), &b, halves(t, "mnist-half/model.json", "-shortcuts")); err != nil || !strings.HasPrefix(b.String(), "3 maps") {
		t.Errorf("%q, %v", b.String(), err)
	}
	for _, c := range []struct {
		file, args string
		want       string
		code       int
	}{
		{"mnist-half/model.json", "-strict -quiet", "", exit.Data},
		{"mnist-half/model.json", "-strict", "Digit 2 and 3 may be swapped, 4 may be read as 3: no label tells; labels of Digit 2 would; see docs/SHORTCUTS.md\n", exit.Data},
		{"mnist-half/model.json", "-quiet", "", exit.OK},
		{"mnist-half/one-label.json", "-strict", "", exit.OK},
		{"neural-graph/model.json", "", "", exit.OK}, // what its rules say on the average is evidence
	} {
		o := halves(t, c.file, strings.Fields(c.args)...)
		m, err := o.task.Open(o.config, "")
		require.NoError(t, err)
		text, err := said(t, func() error { return warnOfShortcuts(context.Background(), o, m) })
		if !strings.HasSuffix(text, c.want) || (c.want == "") != (text == "") || strings.Count(text, "\n") > 1 || cli.ExitCode(err) != c.code {
			t.Errorf("%s %s: %q, %v; want %q, exit code %d", c.file, c.args, text, err, c.want, c.code)
		}
	}
	for _, args := range []string{"-shortcuts -eval", "-shortcuts -resume", "-strict -eval"} {
		if _, err := parse([]learning.Task{toy{"a"}}, strings.Fields(args), io.Discard); cli.ExitCode(err) != exit.Usage {
			t.Errorf("%s: %v", args, err)
		}
	}
	o, err := parse([]learning.Task{toy{"a"}}, []string{"-shortcuts"}, io.Discard)
	require.NoError(t, err)
	if err := countShortcuts(context.Background(), io.Discard, o); cli.ExitCode(err) != exit.Usage {
		t.Errorf("a task without concepts: %v", err)
	}
}
