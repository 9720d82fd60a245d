package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
)

// document is the contents of state.json.
type document struct {
	Format int             `json:"format"`
	Step   int64           `json:"step"`
	State  json.RawMessage `json:"state"`
}

// Save writes a checkpoint of the given step (0 or more) and then removes old ones. When it
// returns nil the checkpoint is on disk; on an error the older checkpoints are untouched and
// the store stays usable. The slices of tensors must not change during the call. Saving a step
// again replaces its checkpoint; at every moment the old or the new one exists.
func (s *Store) Save(step int64, state any, tensors []Tensor) error {
	if step < 0 {
		return fmt.Errorf("checkpoint: step %d, want 0 or more", step)
	}
	return s.change(fmt.Sprintf("saving step %d", step), func() error {
		f, err := s.save(step, state, tensors)
		if err != nil {
			return err
		}
		s.good[f.name] = true
		_ = s.prune(f, s.o.Keep) // what cannot be removed now costs space, and the next save tries again
		return nil
	})
}

// save writes one checkpoint and returns its folder.
func (s *Store) save(step int64, state any, tensors []Tensor) (folder, error) {
	raw, err := json.Marshal(state)
	if err != nil {
		return folder{}, fmt.Errorf("state: %w", err)
	}
	doc, err := json.MarshalIndent(document{Format: formatVersion, Step: step, State: raw}, "", "  ")
	if err != nil {
		return folder{}, err
	}
	target, err := s.nextFolder(step)
	if err != nil {
		return folder{}, err
	}
	tmp, err := s.fs.MkdirTemp(s.dir, tempPrefix+target.name+"-")
	if err != nil {
		return folder{}, err
	}
	done := false
	defer func() {
		if !done {
			// What cannot be removed now is removed by the next Open.
			_ = s.fs.RemoveAll(tmp)
		}
	}()

	m := manifest{Format: formatVersion, Step: step, Files: make([]manifestFile, 2)}
	m.Files[0], err = s.writeFile(tmp, tensorsName, func(w io.Writer) error { return WriteSafetensors(w, tensors) })
	if err != nil {
		return folder{}, err
	}
	m.Files[1], err = s.writeFile(tmp, stateName, writeBytes(doc))
	if err != nil {
		return folder{}, err
	}
	text, err := m.encode()
	if err != nil {
		return folder{}, err
	}
	if _, err := s.writeFile(tmp, manifestName, writeBytes(text)); err != nil {
		return folder{}, err
	}
	if err := s.fs.SyncDir(tmp); err != nil {
		return folder{}, err
	}
	if err := s.fs.Rename(tmp, filepath.Join(s.dir, target.name)); err != nil {
		return folder{}, err
	}
	done = true
	return target, s.fs.SyncDir(s.dir)
}

// nextFolder returns an unused folder for step.
func (s *Store) nextFolder(step int64) (folder, error) {
	list, err := s.folders()
	if err != nil {
		return folder{}, err
	}
	// The newest generation comes first.
	for _, f := range list {
		if f.step == step {
			return newFolder(step, f.generation+1), nil
		}
	}
	return newFolder(step, 1), nil
}

// writeFile creates, fills, syncs and closes a file of dir and describes it.
func (s *Store) writeFile(dir, name string, write func(io.Writer) error) (manifestFile, error) {
	f, err := s.fs.Create(filepath.Join(dir, name))
	if err != nil {
		return manifestFile{}, err
	}
	sum := sha256.New()
	count := &counter{}
	err = write(io.MultiWriter(f, sum, count))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return manifestFile{}, fmt.Errorf("writing %s: %w", name, err)
	}
	return manifestFile{Name: name, Size: count.n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// counter counts the bytes written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func writeBytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
