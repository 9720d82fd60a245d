package linqs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sumsName is the file of checksums that a data folder may have: lines "SHA-256 in
// hexadecimal, blanks, path below the folder", as the program sha256sum writes.
const sumsName = "SHA256SUMS"

// sums are the checksums of a folder by path.
type sums struct {
	dir    string
	byPath map[string]string
}

// readSums reads the checksums of a folder; there are none where it has no such file.
func readSums(dir string) (sums, error) {
	s := sums{dir: dir}
	path := filepath.Join(dir, sumsName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("linqs: %w", err)
	}
	s.byPath = map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		sum, name, ok := strings.Cut(line, " ")
		name = strings.TrimPrefix(strings.TrimSpace(name), "*")
		if _, err := hex.DecodeString(sum); !ok || err != nil || len(sum) != 2*sha256.Size || name == "" {
			return s, fmt.Errorf("linqs: %s:%d: want a SHA-256 sum and a path", path, i+1)
		}
		s.byPath[filepath.FromSlash(name)] = sum
	}
	return s, nil
}

// check compares a file, or what stands for it with .gz, with its checksum. A file that
// is not there is for the reader to tell.
func (s *sums) check(path string) error {
	if s.byPath == nil {
		return nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
		file, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("linqs: %w", err)
	}
	defer file.Close()
	name, err := filepath.Rel(s.dir, path)
	if err != nil {
		return fmt.Errorf("linqs: %w", err)
	}
	want, ok := s.byPath[name]
	if !ok {
		return fmt.Errorf("linqs: %s is not listed in %s", path, filepath.Join(s.dir, sumsName))
	}
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return fmt.Errorf("linqs: %s: %w", path, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("linqs: %s is altered or damaged: its SHA-256 is %s, %s has %s", path, got, sumsName, want)
	}
	return nil
}
