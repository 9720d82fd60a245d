package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// FS holds the file operations that a Store needs. Tests replace it by one that crashes. All
// names are paths as package filepath forms them.
type FS interface {
	// MkdirAll creates dir and its parents, and makes the new entries durable.
	MkdirAll(dir string) error
	// MkdirTemp creates a folder in dir whose name is prefix and a random
	// suffix, and returns its path.
	MkdirTemp(dir, prefix string) (string, error)
	// Create creates or empties a file for writing.
	Create(name string) (File, error)
	// ReadFile returns the contents of a regular file of at most limit bytes;
	// it allocates nothing for a longer one.
	ReadFile(name string, limit int64) ([]byte, error)
	// ReadDir returns the names in dir.
	ReadDir(dir string) ([]string, error)
	// Rename moves a file or folder atomically. A file replaces a file.
	Rename(from, to string) error
	// SyncDir makes the entries of dir durable.
	SyncDir(dir string) error
	// RemoveAll removes a file or folder and all it contains; one that does not
	// exist is no error.
	RemoveAll(name string) error
}

// File is a file open for writing.
type File interface {
	io.Writer
	// Sync makes the contents durable.
	Sync() error
	Close() error
}

// OS is the operating system's file system.
type OS struct{}

func (o OS) MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := o.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	return o.SyncDir(parent)
}

func (OS) MkdirTemp(dir, prefix string) (string, error) {
	name, err := os.MkdirTemp(dir, prefix+"*")
	if err != nil {
		return "", err
	}
	// os.MkdirTemp shuts everybody else out; a checkpoint is an ordinary folder.
	return name, os.Chmod(name, 0o755)
}

func (OS) Create(name string) (File, error) { return os.Create(name) }

func (OS) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkSize(name, info.Size(), limit, info.Mode().IsRegular()); err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, nil
}

// checkSize reports a file that ReadFile must not read.
func checkSize(name string, size, limit int64, regular bool) error {
	if !regular {
		return fmt.Errorf("%s is not a regular file", name)
	}
	if size > limit {
		return fmt.Errorf("%s has %d bytes, more than the %d expected", name, size, limit)
	}
	return nil
}

func (OS) ReadDir(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// SyncDir implements FS. Windows cannot sync a folder and orders its metadata
// itself.
func (OS) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }
