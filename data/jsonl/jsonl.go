// Package jsonl reads values from a file of JSON objects, one a line, that is
// only ever appended to: what was written before a crash stays readable.
//
// An interruption can leave a last line without its line feed. Read skips it; any other line that is
// broken is an error that names it. Readers may look on while one writes.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MaxLine is the length of a line from which on Read returns an error: it bounds the memory that a hostile file can ask for.
const MaxLine = 1 << 20

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
	in.Buffer(nil, MaxLine)
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
