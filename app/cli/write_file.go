package cli

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes a file under another name in the same folder and then renames it: after an error
// the file is as it was.
func WriteFile(path string, write func(*bufio.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".hinge-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what remains is only untidy
	}
	return err
}
