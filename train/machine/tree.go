package machine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Tree is the source that a program was made from.
type Tree struct {
	// Commit is its commit in twelve digits, or empty if it is not known.
	Commit string
	// Changed names what differs from the commit, by its path from the folder Root of the clone, unless the
	// program itself says so.
	Changed []string
	Root    string
}

// String returns the commit, with a mark where the source differs from it, or "unknown".
func (t Tree) String() string {
	switch {
	case t.Commit == "":
		return "unknown"
	case len(t.Changed) > 0:
		return t.Commit + "+changes"
	}
	return t.Commit
}

// Version returns SourceTree as text on one line.
func Version(ctx context.Context) string { return SourceTree(ctx).String() }

// SourceTree describes the source tree of this program. It reads the stamp in the program; if
// `go run` or `go test` has just built it, it asks git in the working folder. For other
// programs without a stamp it returns nothing, as the folder they are started in may have
// changed.
// Files that git ignores do not count as changed.
func SourceTree(ctx context.Context) Tree {
	var t Tree
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				t.Commit = short(s.Value)
			case s.Key == "vcs.modified" && s.Value == "true":
				t.Changed = []string{"the tree this program was built from"}
			}
		}
	}
	if t.Commit != "" || !justMade() {
		return t
	}
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel", "HEAD").Output()
	root, commit, ok := strings.Cut(strings.TrimSpace(string(head)), "\n")
	if err != nil || !ok {
		return t
	}
	t.Commit, t.Root = short(commit), root
	status, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames").Output()
	if err != nil {
		t.Changed = []string{"something git cannot tell"}
		return t
	}
	for entry := range strings.SplitSeq(strings.TrimRight(string(status), "\x00"), "\x00") {
		const letters = len("XY ") // what happened to the file
		if len(entry) > letters {
			t.Changed = append(t.Changed, entry[letters:])
		}
	}
	return t
}

func short(commit string) string { return commit[:min(12, len(commit))] }

// justMade reports whether the go command made the program for this one start: it
// then lies in a work folder or in the build cache.
func justMade() bool {
	path, err := os.Executable()
	if err != nil {
		return false
	}
	cache := os.Getenv("GOCACHE")
	return strings.Contains(path, string(filepath.Separator)+"go-build") || cache != "" && strings.HasPrefix(path, cache)
}
