package record

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockFile is the file in a run folder that its writer has locked.
const lockFile = ".lock"

// Hold makes this the only process, and the only run, that writes to a run folder, which it makes if it is missing.
// Release, or the end of the process however it ends, gives the folder free; release also removes
// a folder that Hold made and nothing was written to, as of a run that is refused. Where another one
// writes to it Hold returns an error that says so; file systems without locks hold nothing.
func Hold(dir string) (release func(), err error) {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := Writable(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	if held, err := lock.TryLock(); err == nil && !held {
		return nil, fmt.Errorf("another process writes to %s; wait until it has ended, or choose another folder", dir)
	}
	return func() {
		_ = lock.Close()
		if list, err := os.ReadDir(dir); missing != nil && err == nil && len(list) == 1 && list[0].Name() == lockFile {
			_ = os.Remove(lock.Path())
			_ = os.Remove(dir)
		}
	}, nil
}

// Writable returns an error where nothing can be written to a folder that is there: better known at once than after hours.
func Writable(dir string) error {
	probe, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return fmt.Errorf("cannot write to the folder %s: %w; choose another one", dir, err)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}
