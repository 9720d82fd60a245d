// Package jsonl keeps values in a file of JSON objects, one a line, that is
// only ever appended to: what was written before a crash stays readable.
//
// An interruption can leave a last line without its line feed. Read skips it and
// Append cuts it off; any other line that is broken is an error that names it.
//
// Concurrency: one writer a file at a time; readers may look on.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxLine bounds the memory a hostile file can ask for.
const maxLine = 1 << 20

// Read returns the values of a file in their order. A file that does not exist
// holds none.
func Read[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxLine)
	in.Split(complete)
	var list []T
	for n := 1; in.Scan(); n++ {
		if len(in.Bytes()) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		list = append(list, v)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// complete is bufio.ScanLines without a last line that lacks its line feed.
func complete(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if atEOF && bytes.IndexByte(data, '\n') < 0 {
		return len(data), nil, nil
	}
	return bufio.ScanLines(data, atEOF)
}

// Append writes a value behind the others and makes it durable.
func Append(path string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(line) >= maxLine {
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
