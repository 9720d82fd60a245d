package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// ErrNone is returned when a store holds no checkpoint, ErrDamaged when it holds some and none can be read: by a
// newer program, perhaps, which is why nothing should begin anew in their place.
var (
	ErrNone    = errors.New("checkpoint: no checkpoint")
	ErrDamaged = errors.New("checkpoint: no checkpoint can be read")
)

// Checkpoint is a checkpoint in memory, verified.
type Checkpoint struct {
	// Name is the folder's name in the store, Step the step it was saved at.
	Name string
	Step int64

	state json.RawMessage
	*Tensors
}

// Latest returns the newest good checkpoint. For every damaged one it passes on
// the way onBad, which may be nil, is called with the folder's name and the
// reason. Without a good one the error is ErrNone or ErrDamaged.
func (s *Store) Latest(onBad func(name string, err error)) (*Checkpoint, error) {
	list, err := s.listed()
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(list); i++ {
		f := list[i]
		c, err := s.load(f)
		if err == nil {
			return c, nil
		}
		// A process that saves may have removed the checkpoint since the folder was listed. It
		// removes one only after it has written a newer one.
		now, lerr := s.listed()
		if lerr == nil && !slices.Contains(now, f) {
			list, i = now, -1
			continue
		}
		if onBad != nil {
			onBad(f.name, err)
		}
	}
	if len(list) > 0 {
		return nil, fmt.Errorf("%w of the %d in %s; read them with the program that wrote them, or choose another folder", ErrDamaged, len(list), s.dir)
	}
	return nil, fmt.Errorf("%w in %s", ErrNone, s.dir)
}

// listed returns the folders for a reader. While a process saves, a listing may miss the new
// checkpoint and the old one that it replaces (POSIX leaves open whether readdir returns an entry
// that comes or goes meanwhile), so a folder counts as empty when several listings say so.
func (s *Store) listed() (list []folder, err error) {
	for try := 0; try < 8 && len(list) == 0 && err == nil; try++ {
		list, err = s.folders()
	}
	return list, err
}

func (s *Store) load(f folder) (*Checkpoint, error) {
	m, err := s.readManifest(f)
	if err != nil {
		return nil, err
	}
	contents := make([][]byte, len(m.Files))
	for i := range m.Files {
		file := &m.Files[i]
		if contents[i], err = s.fs.ReadFile(filepath.Join(s.dir, f.name, file.Name), file.Size); err != nil {
			return nil, err
		}
		if err := file.check(contents[i]); err != nil {
			return nil, err
		}
	}
	tensors, err := ParseSafetensors(contents[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tensorsName, err)
	}
	var doc document
	if err := json.Unmarshal(contents[1], &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", stateName, err)
	}
	if doc.Format != m.Format || doc.Step != m.Step {
		return nil, fmt.Errorf("%s is of step %d, format %d; %s of step %d, format %d",
			stateName, doc.Step, doc.Format, manifestName, m.Step, m.Format)
	}
	s.mu.Lock()
	s.good[f.name] = true
	s.mu.Unlock()
	return &Checkpoint{Name: f.name, Step: m.Step, state: doc.State, Tensors: tensors}, nil
}

// readManifest reads and verifies the manifest of a checkpoint.
func (s *Store) readManifest(f folder) (manifest, error) {
	data, err := s.fs.ReadFile(filepath.Join(s.dir, f.name, manifestName), maxManifest)
	if err != nil {
		return manifest{}, err
	}
	return parseManifest(data, f.step)
}

// State decodes the caller's state into v, as json.Unmarshal does.
func (c *Checkpoint) State(v any) error {
	if err := json.Unmarshal(c.state, v); err != nil {
		return fmt.Errorf("checkpoint: state of %s: %w", c.Name, err)
	}
	return nil
}

// Read copies the named tensor into dst, which must have its length. A missing
// tensor, another element type and another length are errors.
func Read[T Element](c *Checkpoint, name string, dst []T) error {
	data, err := c.contents(Tensor{Name: name, Data: dst})
	if err == nil {
		decode(dst, data)
	}
	return err
}

// ReadPacked does what Read does, into parts that follow one another in the tensor.
func ReadPacked(c *Checkpoint, name string, parts [][]float32) error {
	data, err := c.contents(PackedTensor(name, parts))
	if err != nil {
		return err
	}
	for _, dst := range parts {
		decode(dst, data)
		data = data[dtypeF32.size*len(dst):]
	}
	return nil
}

// contents are the bytes of a tensor of the name, type and length of want.
func (c *Checkpoint) contents(want Tensor) ([]byte, error) {
	e, ok := c.entries[want.Name]
	if !ok {
		return nil, fmt.Errorf("checkpoint: %s has no tensor %q", c.Name, want.Name)
	}
	d, n, err := want.describe()
	if err != nil {
		return nil, err
	}
	if d.name != e.dtype.name || n*d.size != len(e.data) {
		return nil, fmt.Errorf("checkpoint: tensor %q of %s is %s of shape %v, want %s and %d elements",
			want.Name, c.Name, e.dtype.name, e.shape, d.name, n)
	}
	return e.data, nil
}
