package linqs

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"hinge/symbolic/facts"
)

// open returns the tab-separated file at path, or at path.gz. One that is not there is a
// *facts.Error of fs.ErrNotExist; where is a sentence on where it can be had.
func open(path, where string) (*facts.Source, error) {
	for _, p := range []string{path, path + ".gz"} {
		if _, err := os.Stat(p); err == nil {
			return &facts.Source{Format: "tsv", Path: p, NoHeader: true}, nil
		}
	}
	return nil, &facts.Error{Source: path, Msg: "there is no such file, nor one with .gz. " + where, Err: fs.ErrNotExist}
}

// eachLine calls f with the trimmed fields of each line of a file that is not
// blank. A line that has not the given number of fields is an error.
func eachLine(path, where string, fields int, f func(fields []string) error) error {
	src, err := open(path, where)
	if err != nil {
		return err
	}
	return src.Read(context.Background(), fields, func(r *facts.Row) error {
		if r.Valued {
			return r.Fail(fmt.Sprintf("%d fields, want %d", fields+1, fields))
		}
		if err := f(r.Args); err != nil {
			return r.Fail(err.Error())
		}
		return nil
	})
}
