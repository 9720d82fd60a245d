package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// Tree is the source that a program was made from.
type Tree struct {
	// Commit is its commit in twelve digits, or empty if it is not known.
	Commit string
	// Changed names what differs from the commit.
	Changed []string
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

// Check returns an error, with advice, if no commit holds the program's source.
func (t Tree) Check() error {
	switch n := len(t.Changed); {
	case t.Commit == "":
		return errors.New("the commit of this program is not known: start it by go run in a clone, or build it there with -buildvcs=true")
	case n > 1:
		return fmt.Errorf("%s and %d more differ from commit %s: commit them", t.Changed[0], n-1, t.Commit)
	case n == 1:
		return fmt.Errorf("%s differs from commit %s: commit it", t.Changed[0], t.Commit)
	}
	return nil
}

// Version returns SourceTree as text on one line.
func Version(ctx context.Context) string { return SourceTree(ctx, "").String() }

// SourceTree describes the source tree of this program. It reads the stamp in the program; if
// `go run` or `go test` has just built it, it asks git in the working folder. For other
// programs without a stamp it returns nothing, as the folder they are started in may have
// changed.
//
// Pages and records (*.md, *.jsonl) below the folder pages are not compiled and change while a
// table is made, so changes to them do not count. Files that git ignores do not count either.
// Any other changed file does.
func SourceTree(ctx context.Context, pages string) Tree {
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
	t.Commit = short(commit)
	status, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames").Output()
	if err != nil {
		t.Changed = []string{"something git cannot tell"}
		return t
	}
	for entry := range strings.SplitSeq(strings.TrimRight(string(status), "\x00"), "\x00") {
		const letters = len("XY ") // what happened to the file
		if len(entry) > letters && !isPage(filepath.Join(root, entry[letters:]), pages) {
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

// isPage reports whether a path names a page or records below a folder.
func isPage(path, folder string) bool {
	if folder == "" || !slices.Contains([]string{".md", ".jsonl"}, filepath.Ext(path)) {
		return false
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}
