package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
)

// tempPrefix begins the name of everything that is not finished.
const tempPrefix = ".tmp-"

// Options are the settings of a Store. The zero value is ready for use.
type Options struct {
	// Keep is the number of newest checkpoints to keep, up to the step of the last save; later
	// ones stay until they are replaced. Zero: 3. Negative: keep all.
	Keep int
	// ReadOnly opens a folder that must exist, and changes nothing in it.
	ReadOnly bool
	// FS is the file system. Nil: OS.
	FS FS
}

// Store is a folder of checkpoints.
type Store struct {
	dir string
	o   Options
	fs  FS

	mu sync.Mutex
	// good holds the names known to be complete, since this process saved or
	// loaded them.
	good map[string]bool
}

// ErrReadOnly is returned for a change to a Store opened with ReadOnly.
var ErrReadOnly = errors.New("checkpoint: the store is open for reading only")

// Open opens the store in dir. It creates the folder, checks that it can be
// written to, and removes what interrupted saves left behind; with ReadOnly it
// only checks that the folder is there.
func Open(dir string, o Options) (*Store, error) {
	o.Keep = cmp.Or(o.Keep, 3)
	if o.FS == nil {
		o.FS = OS{}
	}
	s := &Store{dir: filepath.Clean(dir), o: o, fs: o.FS, good: map[string]bool{}}
	if o.ReadOnly {
		if _, err := s.fs.ReadDir(s.dir); err != nil {
			return nil, fmt.Errorf("checkpoint: cannot read the folder %s: %w", dir, err)
		}
		return s, nil
	}
	if err := s.prepare(); err != nil {
		return nil, fmt.Errorf("checkpoint: cannot write to the folder %s: %w%s", dir, err, advice(err))
	}
	return s, nil
}

// prepare makes the folder ready for saves.
func (s *Store) prepare() error {
	if err := s.fs.MkdirAll(s.dir); err != nil {
		return err
	}
	names, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isTemp(name) {
			if err := s.fs.RemoveAll(filepath.Join(s.dir, name)); err != nil {
				return err
			}
		}
	}
	// A folder may be readable and yet not writable: better to know it now
	// than after the first hours of training.
	probe, err := s.fs.MkdirTemp(s.dir, tempPrefix+"probe-")
	if err != nil {
		return err
	}
	return s.fs.RemoveAll(probe)
}

// change runs do while no other goroutine changes the folder by this Store. what names the operation in errors.
func (s *Store) change(what string, do func() error) error {
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := do(); err != nil {
		return fmt.Errorf("checkpoint: %s in %s: %w%s", what, s.dir, err, advice(err))
	}
	return nil
}

// advice returns what to do about a failed write, for the common causes.
func advice(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return " (choose another folder or change its permissions)"
	case errors.Is(err, syscall.ENOSPC):
		return " (free some space or choose another folder)"
	case errors.Is(err, syscall.EROFS):
		return " (the file system is read-only; choose another folder)"
	}
	return ""
}
