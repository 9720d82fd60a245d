package source

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"hinge/train/machine"
)

// Tree is machine.SourceTree without pages and records (*.md, *.jsonl) below the folder pages: they are not
// compiled and change while a table is made, so changes to them do not count.
func Tree(ctx context.Context, pages string) machine.Tree {
	t := machine.SourceTree(ctx)
	t.Changed = slices.DeleteFunc(t.Changed, func(path string) bool { return isPage(filepath.Join(t.Root, path), pages) })
	return t
}

// Committed returns an error, with advice, if no commit holds the program's source.
func Committed(t machine.Tree) error {
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
