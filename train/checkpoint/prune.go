package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// bestName is the file that names the best checkpoint.
const bestName = "best.json"

// best is the contents of best.json.
type best struct {
	Format int    `json:"format"`
	Name   string `json:"name"`
	// Checksum is the SHA-256 of this document with an empty Checksum.
	Checksum string `json:"checksum"`
}

// encode returns the one text that stands for b, with its checksum.
func (b best) encode() ([]byte, error) {
	b.Checksum = ""
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	b.Checksum = checksum(body)
	return json.Marshal(b)
}

// MarkBest protects the checkpoint of a step from removal and makes [Store.Best]
// return it. It replaces the mark set before.
func (s *Store) MarkBest(step int64) error {
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.markBest(step); err != nil {
		return fmt.Errorf("checkpoint: marking step %d as best in %s: %w%s", step, s.dir, err, advice(err))
	}
	return nil
}

func (s *Store) markBest(step int64) error {
	list, err := s.folders()
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.step != step {
			continue
		}
		data, err := best{Format: formatVersion, Name: f.name}.encode()
		if err != nil {
			return err
		}
		tmp := filepath.Join(s.dir, tempPrefix+bestName)
		if _, err := s.writeFile(s.dir, tempPrefix+bestName, writeBytes(data)); err != nil {
			return err
		}
		if err := s.fs.Rename(tmp, filepath.Join(s.dir, bestName)); err != nil {
			return err
		}
		return s.fs.SyncDir(s.dir)
	}
	return ErrNone
}

// Best returns the checkpoint marked as best. Without a mark the error is
// ErrNone; a damaged mark or checkpoint is reported as another error.
func (s *Store) Best() (*Checkpoint, error) {
	f, err := s.bestFolder()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w is marked as best in %s", ErrNone, s.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", filepath.Join(s.dir, bestName), err)
	}
	c, err := s.load(f)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", filepath.Join(s.dir, f.name), err)
	}
	return c, nil
}

// bestFolder returns the folder marked as best. The error is fs.ErrNotExist
// when there is no mark.
func (s *Store) bestFolder() (folder, error) {
	data, err := s.fs.ReadFile(filepath.Join(s.dir, bestName), maxManifest)
	if err != nil {
		return folder{}, err
	}
	var b best
	if err := json.Unmarshal(data, &b); err != nil {
		return folder{}, fmt.Errorf("not valid JSON: %w", err)
	}
	if want, err := b.encode(); err != nil || !bytes.Equal(want, data) || b.Format != formatVersion {
		return folder{}, errors.New("does not match its own checksum")
	}
	f, ok := parseFolder(b.Name)
	if !ok {
		return folder{}, fmt.Errorf("%q is not the name of a checkpoint", b.Name)
	}
	return f, nil
}

// prune removes what is not to be kept after saved was written: all but the
// newest Keep complete checkpoints up to saved, not counting the best one.
// Checkpoints of later steps, which a run restored from an earlier one has yet
// to reach, stay until they are replaced.
func (s *Store) prune(saved folder) error {
	if s.o.Keep < 0 {
		return nil
	}
	protected, err := s.bestFolder()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Not knowing the best one, remove nothing.
		return fmt.Errorf("%s: %w", bestName, err)
	}
	list, err := s.folders()
	if err != nil {
		return err
	}
	var trash []string
	kept := 0
	last := int64(-1)
	for _, f := range list {
		if f.step > saved.step || f.name == protected.name {
			continue
		}
		if kept < s.o.Keep && f.step != last && s.complete(f) {
			kept++
			last = f.step
			continue
		}
		trash = append(trash, f.name)
	}
	return s.discard(trash)
}

// Clear removes all checkpoints and the mark of the best one.
func (s *Store) Clear() error {
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.clear(); err != nil {
		return fmt.Errorf("checkpoint: removing the checkpoints in %s: %w%s", s.dir, err, advice(err))
	}
	return nil
}

func (s *Store) clear() error {
	list, err := s.folders()
	if err != nil {
		return err
	}
	if err := s.fs.RemoveAll(filepath.Join(s.dir, bestName)); err != nil {
		return err
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	return s.discard(names)
}

// complete says whether a checkpoint's manifest is good, without reading the
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
func (s *Store) discard(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var failed []error
	var trash []string
	for _, name := range names {
		to := filepath.Join(s.dir, tempPrefix+"old-"+name)
		// An earlier attempt may have failed half-way.
		if err := s.fs.RemoveAll(to); err != nil {
			failed = append(failed, err)
			continue
		}
		if err := s.fs.Rename(filepath.Join(s.dir, name), to); err != nil {
			failed = append(failed, err)
			continue
		}
		delete(s.good, name)
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
