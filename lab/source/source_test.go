package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clone is a repository with a module of three packages: a imports b and embeds a file, c
// stands alone. Package l/x of a second module imports a.
type clone struct {
	t   *testing.T
	dir string
}

func newClone(t *testing.T) *clone {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	c := &clone{t, t.TempDir()}
	c.git("init", "-q")
	c.write("go.mod", "module m\n\ngo 1.26\n")
	c.write("a/a.go", "// Package a.\npackage a\n\nimport (\n\t_ \"embed\"\n\t\"m/b\"\n)\n\n//go:embed rules.txt\nvar Rules string\n\nvar A = b.B\n")
	c.write("a/a_test.go", "package a\n")
	c.write("a/rules.txt", "rules\n")
	c.write("a/a_amd64.s", "// nothing\n")
	c.write("b/b.go", "package b\n\nconst B = 1\n")
	c.write("c/c.go", "package c\n")
	c.write("l/go.mod", "module m/l\n\ngo 1.26\n\nrequire m v0.0.0\n\nreplace m => ../\n")
	c.write("l/x/x.go", "package x\n\nimport _ \"m/a\"\n")
	return c
}

func (c *clone) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *clone) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// digest is that of packages a and l/x after a commit of what has been written.
func (c *clone) digest() (d [2]string) {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", "x")
	for i, pkg := range []string{"a", "l/x"} {
		var err error
		d[i], err = Digest(c.t.Context(), c.dir, c.git("rev-parse", "HEAD"), pkg)
		require.NoError(c.t, err)
		require.Len(c.t, d[i], 16)
	}
	return d
}

// TestDigest: what a program is built from changes its digest, and nothing else does.
func TestDigest(t *testing.T) {
	c := newClone(t)
	before := c.digest()
	for _, change := range []struct {
		name, file, text string
		counts           bool
	}{
		{"nothing", "c/c.go", "package c\n", false},
		{"a package beside", "c/c.go", "package c\n\nconst C = 1\n", false},
		{"a test", "a/a_test.go", "package a\n\nconst T = 1\n", false},
		{"a comment and white space", "b/b.go", "// Package b is another.\npackage b\n\n/* one */\n\nconst B =  1 // one\n", false},
		{"a file of another system", "b/b_windows.go", "package b\n\nconst W = 1\n", false},
		{"a package it imports", "b/b.go", "package b\n\nconst B = 2\n", true},
		{"that a file ends early", "b/b.go", "package b\n", true},
		{"a file more", "b/more.go", "package b\n\nconst M = 1\n", true},
		{"assembly", "a/a_amd64.s", "// something\n", true},
		{"an embedded file", "a/rules.txt", "other rules\n", true},
		{"a directive", "b/b.go", "package b\n\nconst B = 2\n\n//go:noinline\nfunc F() {}\n", true},
		{"no directive", "b/b.go", "package b\n\nconst B = 2\n\nfunc F() {}\n", true},
	} {
		c.write(change.file, change.text)
		after := c.digest()
		if (after[0] != before[0]) != change.counts || (after[1] != before[1]) != change.counts {
			t.Errorf("%s: %s after %s", change.name, after, before)
		}
		before = after
	}
}

// TestDigestOfWhatIsNotThere: a package that a commit lacks has no digest; a commit that
// is not there is an error.
func TestDigestOfWhatIsNotThere(t *testing.T) {
	c := newClone(t)
	c.digest()
	if d, err := Digest(t.Context(), c.dir, "HEAD", "d"); d != "" || err != nil {
		t.Errorf("a package that is not there: %q, %v", d, err)
	}
	if d, err := Digest(t.Context(), c.dir, "0123456789ab", "a"); d != "" || err == nil || !strings.Contains(err.Error(), "git archive") {
		t.Errorf("a commit that is not there: %q, %v", d, err)
	}
	c.write("a/a.go", "package a\n\nimport _ \"example.com/none\"\n")
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "x")
	if d, err := Digest(t.Context(), c.dir, "HEAD", "a"); d != "" || err == nil {
		t.Errorf("an import that is not there: %q, %v", d, err)
	}
}
