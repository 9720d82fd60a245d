package checkpoint

import (
	"errors"
	"path/filepath"
)

// prune removes old checkpoints after saved was written. It keeps the newest keep complete
// checkpoints up to saved. Checkpoints of later steps, which a run restored from an earlier
// one has yet to reach, stay until they are replaced.
func (s *Store) prune(saved folder, keep int) error {
	if keep < 0 {
		return nil
	}
	list, err := s.folders()
	if err != nil {
		return err
	}
	var trash []folder
	kept := 0
	last := int64(-1)
	for _, f := range list {
		if f.step > saved.step {
			continue
		}
		if kept < keep && f.step != last && s.complete(f) {
			kept++
			last = f.step
			continue
		}
		trash = append(trash, f)
	}
	return s.discard(trash)
}

// Trim removes all checkpoints but the newest complete one, for a run that has ended.
func (s *Store) Trim() error {
	return s.change("removing old checkpoints", func() error {
		list, err := s.folders()
		if err != nil || len(list) == 0 {
			return err
		}
		return s.prune(list[0], 1)
	})
}

// complete reports whether a checkpoint's manifest is good, without reading the
// rest of it.
func (s *Store) complete(f folder) bool {
	if s.good[f.name] {
		return true
	}
	_, err := s.readManifest(f)
	return err == nil
}

// discard removes folders. They are renamed first, so that an interruption
// leaves no half-removed checkpoint behind.
func (s *Store) discard(list []folder) error {
	if len(list) == 0 {
		return nil
	}
	var failed []error
	var trash []string
	for _, f := range list {
		to := filepath.Join(s.dir, tempPrefix+"old-"+f.name)
		// An earlier attempt may have failed half-way.
		if err := s.fs.RemoveAll(to); err != nil {
			failed = append(failed, err)
			continue
		}
		if err := s.fs.Rename(filepath.Join(s.dir, f.name), to); err != nil {
			failed = append(failed, err)
			continue
		}
		delete(s.good, f.name)
		trash = append(trash, to)
	}
	// Before anything inside is removed the new names must be on disk.
	if err := s.fs.SyncDir(s.dir); err != nil {
		return errors.Join(append(failed, err)...)
	}
	for _, name := range trash {
		if err := s.fs.RemoveAll(name); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
