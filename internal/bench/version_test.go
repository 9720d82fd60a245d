package bench

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The build is the digest of the program's file.
func TestBuild(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Build()
	if want := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// Without a commit in the program, that of the working folder counts, with a mark
// as soon as something is not committed, and nothing is made up outside.
func TestVersion(t *testing.T) {
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
	if v := Version(context.Background()); v != "unknown" {
		t.Errorf("outside of a repository: %s", v)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "first")
	want := git("rev-parse", "HEAD")[:12]
	if v := Version(context.Background()); v != want {
		t.Errorf("%s, want %s", v, want)
	}
	if err := os.WriteFile("new", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if v := Version(context.Background()); v != want+"+changes" {
		t.Errorf("%s, want %s+changes", v, want)
	}
}
