package facts

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
	return place(f, path, errors.Join(write(w), w.Flush()))
}

// Replace is WriteFile for data that are at hand.
func Replace(path string, data []byte) error {
	return WriteFile(path, func(w *bufio.Writer) error { _, err := w.Write(data); return err })
}

// place closes a file and gives it its name, or removes it after an error.
func place(f *os.File, path string, err error) error {
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what remains is only untidy
	}
	return err
}
