package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/machine"
)

// Without a commit in the program, that of the working folder counts, with a mark
// as soon as something is not committed that a program may be made of, and nothing
// is made up outside.
func TestTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(path, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	tree := func() machine.Tree { return Tree(context.Background(), "pages") }
	if got := tree(); got.String() != "unknown" || Committed(got) == nil || !strings.Contains(Committed(got).Error(), "go run") {
		t.Errorf("outside of a repository: %v, %v", got, Committed(got))
	}
	git("init", "-q")
	write(".gitignore", "ignored\n")
	write("pages/t.md", "1")
	write("pages/t.jsonl", "1")
	write("a.go", "package a\n")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	want := git("rev-parse", "HEAD")[:12]
	// Pages and records change while a table is made.
	for _, path := range []string{"pages/t.md", "pages/t.jsonl", "pages/new.jsonl", "pages/old/n.md", "ignored"} {
		write(path, "2")
	}
	if got := tree(); got.String() != want || Committed(got) != nil {
		t.Errorf("%v, %v, want %s", got, Committed(got), want)
	}
	assert.Equal(t, want+"+changes", machine.Version(context.Background()))
	for _, c := range []struct{ path, text string }{
		{"pages/x.go", "package x\n"}, {"pages/rules.psl", ""}, {"new", ""}, {"t.md", ""}, {"sub/t.jsonl", ""}, {"pages2/t.md", ""}, {"a.go", "package b\n"},
	} {
		write(c.path, c.text)
		got := tree()
		if got.String() != want+"+changes" || len(got.Changed) != 1 || got.Changed[0] != c.path || !strings.HasPrefix(Committed(got).Error(), c.path+" differs from commit "+want) {
			t.Errorf("%s: %+v, %v", c.path, got, Committed(got))
		}
		if c.path != "a.go" {
			require.NoError(t, os.Remove(c.path))
		}
	}
	git("mv", "-f", "a.go", "b.go")
	if got := tree(); len(got.Changed) != 2 || !strings.HasPrefix(Committed(got).Error(), "a.go and 1 more differ") {
		t.Errorf("renamed: %+v, %v", got, Committed(got))
	}
}
