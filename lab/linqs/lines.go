package linqs

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	// maxLine is the longest line in bytes, maxFile the largest file once
	// decompressed. The largest published one has 4 MB.
	maxLine = 1 << 12
	maxFile = 1 << 26
)

// MissingError says that a data file is not there and where it can be had.
type MissingError struct {
	// Path is where the file was looked for.
	Path string
	// Source is a sentence on where it comes from.
	Source string
}

// Error names the file and its source.
func (e *MissingError) Error() string {
	return fmt.Sprintf("linqs: there is no %s (nor %s.gz). %s", e.Path, filepath.Base(e.Path), e.Source)
}

// Is makes errors.Is(err, fs.ErrNotExist) true.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

// eachLine calls f with the trimmed fields of each line of a file that is not
// blank. A line that has not the given number of fields is an error.
func eachLine(path, source string, fields int, f func(fields []string) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if z, gzErr := os.Open(path + ".gz"); gzErr == nil {
			file, err, path = z, nil, path+".gz"
		} else {
			return &MissingError{Path: path, Source: source}
		}
	}
	if err != nil {
		return fmt.Errorf("linqs: %w", err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return fmt.Errorf("linqs: %s: %w", path, err)
		}
	}
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	in := bufio.NewScanner(limited)
	in.Buffer(nil, maxLine)
	n := 0
	for in.Scan() {
		n++
		if limited.N == 0 {
			return fmt.Errorf("linqs: %s:%d: the file has more than %d MiB", path, n, maxFile>>20)
		}
		text := in.Text()
		if strings.TrimSpace(text) == "" {
			continue
		}
		if !utf8.ValidString(text) {
			return fmt.Errorf("linqs: %s:%d: the line is not UTF-8", path, n)
		}
		parts := strings.Split(text, "\t")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		// Published files have stray tabs at the ends of lines.
		for len(parts) > fields && parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1]
		}
		if len(parts) != fields {
			return fmt.Errorf("linqs: %s:%d: %d fields, want %d", path, n, len(parts), fields)
		}
		if err := f(parts); err != nil {
			return fmt.Errorf("linqs: %s:%d: %w", path, n, err)
		}
	}
	if err := in.Err(); err != nil {
		// Of a truncated or damaged file, or a line beyond the limit.
		return fmt.Errorf("linqs: %s:%d: %w", path, n+1, err)
	}
	return nil
}
