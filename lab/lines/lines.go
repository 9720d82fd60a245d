// Package lines appends values to files of JSON objects, one a line, which package jsonl reads.
//
// An interruption can leave a last line without its line feed, which Append cuts off.
// There is one writer a file at a time.
package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"hinge/data/jsonl"
)

// Append writes a value behind the others and makes it durable.
func Append(path string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(line) >= jsonl.MaxLine {
		return fmt.Errorf("%s: a value of %d bytes is more than a line may have", path, len(line))
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f, append(line, '\n')), f.Close())
}

// write puts a line where the last complete one ends.
func write(f *os.File, line []byte) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	for ; end > 0; end-- {
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
		if last[0] == '\n' {
			break
		}
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(line, end); err != nil {
		return err
	}
	return f.Sync()
}
