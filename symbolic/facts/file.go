package facts

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file under another name in the same folder and then renames it: after an error
// the file is as it was. A link, a device or a pipe stays what it is: what is written goes to it.
func WriteFile(path string, write func(*bufio.Writer) error) error {
	f, err := temporary(path)
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

// SameFile reports whether two paths are of one file: what is written to one takes the place of what the other
// holds. A device or a pipe holds nothing.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil || !one.Mode().IsRegular() {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// replaceable reports whether a file may take the place of what has the path: another file, or nothing.
func replaceable(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode().IsRegular()
}

// temporary makes the file that is written first.
func temporary(path string) (*os.File, error) {
	dir := ""
	if replaceable(path) {
		dir = filepath.Dir(path)
	}
	f, err := os.CreateTemp(dir, ".hinge-*")
	if failed, ok := errors.AsType[*fs.PathError](err); ok && dir != "" {
		failed.Path = path
	}
	return f, err
}

// place closes a file and gives it its name, or removes it after an error.
func place(f *os.File, path string, err error) error {
	if err == nil && !replaceable(path) {
		err = through(f, path)
	} else if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		if err = os.Rename(f.Name(), path); err == nil {
			return nil
		}
	}
	_, _ = f.Close(), os.Remove(f.Name()) // it may be closed, and what remains is only untidy
	return err
}

// through copies a file to what has the path.
func through(f *os.File, path string) error {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(to, f)
	}
	return errors.Join(err, to.Close())
}
