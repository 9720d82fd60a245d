package checkpoint

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type testState struct {
	Epoch int
	Seed  uint64
	Loss  float64
}

// open opens a store in a fresh folder of the real file system.
func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "runs", "a"), o)
	require.NoError(t, err)
	return s
}

// save saves the contents that belong to a step.
func save(t *testing.T, s *Store, steps ...int64) {
	t.Helper()
	for _, step := range steps {
		state, tensors := saved(step)
		require.NoError(t, s.Save(step, state, tensors))
	}
}

// latest returns the newest good checkpoint and the damaged ones on the way.
func latest(t *testing.T, s *Store) (c *Checkpoint, bad []string) {
	t.Helper()
	c, err := s.Latest(func(name string, err error) {
		if err == nil {
			t.Errorf("%s is reported without a reason", name)
		}
		bad = append(bad, name)
	})
	require.NoError(t, err)
	return c, bad
}

func steps(t *testing.T, s *Store) []int64 {
	t.Helper()
	list, err := s.Steps()
	require.NoError(t, err)
	return list
}

func TestSaveAndLoad(t *testing.T) {
	s := open(t, Options{})
	_, err := s.Latest(nil)
	assert.ErrorIs(t, err, ErrNone, "an empty store")
	want := testState{Epoch: 3, Seed: math.MaxUint64, Loss: 0.1}
	tensors := []Tensor{
		NewTensor("f32", []float32{1, float32(math.NaN()), float32(math.Inf(-1)), math.SmallestNonzeroFloat32}, 2, 2),
		NewTensor("f64", []float64{0.1, math.Copysign(0, -1)}),
		NewTensor("i64", []int64{math.MinInt64, math.MaxInt64}),
		NewTensor("i32", []int32{math.MinInt32, -1}),
		NewTensor("u8", []uint8{0, 255, 7}, 3, 1),
		NewTensor("scalar", []float64{42}, []int{}...),
		NewTensor("empty", []float32{}, 0, 5),
	}
	tensors[5].Shape = nil
	require.NoError(t, s.Save(120, want, tensors))
	c, bad := latest(t, s)
	if c.Name != "step-00000120" || c.Step != 120 || bad != nil {
		t.Fatalf("%s, step %d, damaged %v", c.Name, c.Step, bad)
	}
	var got testState
	if err := c.State(&got); err != nil || got != want {
		t.Errorf("state %+v, %v", got, err)
	}
	assert.ErrorContains(t, c.State(new(int)), c.Name, "state of another type")
	if names := c.Names(); !slices.IsSorted(names) || len(names) != len(tensors) {
		t.Errorf("names %v", names)
	}
	sameTensors(t, c, tensors)
	_, err = c.Tensor("nothing")
	assert.Error(t, err, "a tensor that is not there: no error")
}

// sameTensors compares tensors of a checkpoint bit for bit.
func sameTensors(t *testing.T, c *Checkpoint, tensors []Tensor) {
	t.Helper()
	for _, want := range tensors {
		got, err := c.Tensor(want.Name)
		require.NoError(t, err)
		_, n, _ := want.describe()
		_, m, _ := got.describe()
		if !slices.Equal(got.Shape, want.Shape) || n != m ||
			!slices.Equal(appendElements(nil, got.Data, 0, n), appendElements(nil, want.Data, 0, n)) {
			t.Errorf("%s: got %v of shape %v, want %v of shape %v", want.Name, got.Data, got.Shape, want.Data, want.Shape)
		}
	}
}

func TestReadChecks(t *testing.T) {
	s := open(t, Options{})
	save(t, s, 10)
	c, _ := latest(t, s)
	assert.NoError(t, Read(c, "w", make([]float32, 40)))
	for name, err := range map[string]error{
		"length": Read(c, "w", make([]float32, 39)),
		"type":   Read(c, "w", make([]int32, 40)),
		"name":   Read(c, "v", make([]float32, 40)),
	} {
		assert.ErrorContainsf(t, err, "step-00000010", "wrong %s", name)
	}
}

// Parts are written as one vector, and read as such or into parts.
func TestPackedTensor(t *testing.T) {
	s := open(t, Options{})
	long := make([]float32, writeChunk+3)
	for i := range long {
		long[i] = float32(i)
	}
	parts := [][]float32{{7}, long, {}, {8, 9}}
	require.NoError(t, s.Save(1, nil, []Tensor{PackedTensor("p", parts), PackedTensor("none", nil)}))
	c, err := s.Load(1)
	require.NoError(t, err)
	whole := make([]float32, len(long)+3)
	require.NoError(t, Read(c, "p", whole))
	assert.Equal(t, slices.Concat(parts...), whole)
	got := [][]float32{make([]float32, len(long)), make([]float32, 3)}
	require.NoError(t, ReadPacked(c, "p", got))
	assert.Equal(t, whole, slices.Concat(got...))
	assert.ErrorContains(t, ReadPacked(c, "p", got[:1]), "want F32 and 8195 elements")
	assert.ErrorContains(t, ReadPacked(c, "q", got), `no tensor "q"`)
	require.NoError(t, ReadPacked(c, "none", nil))
}

func TestSaveRefuses(t *testing.T) {
	s := open(t, Options{})
	save(t, s, 10)
	for name, err := range map[string]error{
		"negative step":    s.Save(-1, nil, nil),
		"state not JSON":   s.Save(20, math.NaN(), nil),
		"shape":            s.Save(20, nil, []Tensor{NewTensor("w", []float32{1}, 2)}),
		"negative shape":   s.Save(20, nil, []Tensor{NewTensor("w", []float32{1}, -1, -1)}),
		"duplicate":        s.Save(20, nil, []Tensor{NewTensor("w", []float32{1}), NewTensor("w", []int64{1})}),
		"reserved name":    s.Save(20, nil, []Tensor{NewTensor(metadataKey, []float32{1})}),
		"empty name":       s.Save(20, nil, []Tensor{NewTensor("", []float32{1})}),
		"name not UTF-8":   s.Save(20, nil, []Tensor{NewTensor("\xff", []float32{1})}),
		"type of elements": s.Save(20, nil, []Tensor{{Name: "w", Shape: []int{1}, Data: []bool{true}}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	names, err := os.ReadDir(s.Dir())
	if err != nil || len(names) != 1 {
		t.Errorf("the folder holds %v, %v", names, err)
	}
}

func TestOpenRemovesWhatWasLeft(t *testing.T) {
	s := open(t, Options{})
	save(t, s, 10)
	for _, name := range []string{tempPrefix + "step-00000020-1", tempPrefix + "old-step-00000005"} {
		require.NoError(t, os.MkdirAll(filepath.Join(s.Dir(), name, "sub"), 0o755))
	}
	other := filepath.Join(s.Dir(), "metrics.jsonl")
	require.NoError(t, os.WriteFile(other, nil, 0o644))
	_, err := Open(s.Dir(), Options{ReadOnly: true})
	require.NoError(t, err)
	if names, _ := os.ReadDir(s.Dir()); len(names) != 4 {
		t.Errorf("a read-only open changed the folder to %v", names)
	}
	_, err = Open(s.Dir(), Options{})
	require.NoError(t, err)
	if names, _ := os.ReadDir(s.Dir()); len(names) != 2 {
		t.Errorf("left: %v", names)
	}
}

func TestReadOnly(t *testing.T) {
	s := open(t, Options{})
	save(t, s, 10)
	r, err := Open(s.Dir(), Options{ReadOnly: true})
	require.NoError(t, err)
	if c, err := r.Load(10); err != nil || c.Step != 10 {
		t.Errorf("load: %v, %v", c, err)
	}
	if _, err := r.Load(11); !errors.Is(err, ErrNone) {
		t.Errorf("a step that is not there: %v", err)
	}
	if err := r.Save(20, nil, nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("save: %v", err)
	}
	missing := filepath.Join(s.Dir(), "missing")
	if _, err := Open(missing, Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, dir := range []string{file, filepath.Join(file, "sub")} {
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	// Permission, a full and a read-only file system, at each operation.
	for _, failure := range []error{fs.ErrPermission, syscall.ENOSPC, syscall.EROFS} {
		for at := 1; at <= 3; at++ {
			f := newMemFS()
			f.failAt, f.failErr = at, failure
			_, err := Open("no/entry", Options{FS: f})
			if err == nil || !strings.Contains(err.Error(), "cannot write to the folder no/entry") || !strings.Contains(err.Error(), "another folder") {
				t.Errorf("%v in operation %d: %v", failure, at, err)
			}
		}
	}
	if os.Getuid() == 0 {
		return // nothing is forbidden to the superuser
	}
	locked := t.TempDir()
	require.NoError(t, os.Chmod(locked, 0o555))
	if _, err := Open(locked, Options{}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), locked) {
		t.Errorf("a folder without write permission: %v", err)
	}
}

// Readers in the same and in another store never see half a checkpoint while
// one is saved and others are removed.
func TestConcurrentReaders(t *testing.T) {
	s := open(t, Options{Keep: 1})
	save(t, s, 1)
	other, err := Open(s.Dir(), Options{ReadOnly: true})
	require.NoError(t, err)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, r := range []*Store{s, other} {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				c, err := r.Latest(func(name string, err error) { t.Errorf("%s: %v", name, err) })
				if err == nil {
					err = verify(c)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for step := int64(2); step < 60; step++ {
		save(t, s, step)
	}
	close(done)
	wg.Wait()
}

// missing is a file system whose listings miss what comes and goes meanwhile, as POSIX allows: the
// first listings after a save have neither the old nor the new checkpoint.
type missing struct {
	OS
	empty int
}

func (m *missing) ReadDir(dir string) ([]string, error) {
	if m.empty > 0 {
		m.empty--
		return nil, nil
	}
	return m.OS.ReadDir(dir)
}

// A reader finds the checkpoint though listings miss it, at its start or after one was removed.
func TestListingsThatMissEntries(t *testing.T) {
	s := open(t, Options{Keep: 1})
	save(t, s, 1)
	f := &missing{}
	r, err := Open(s.Dir(), Options{ReadOnly: true, FS: f})
	require.NoError(t, err)
	f.empty = 3
	c, err := r.Latest(nil)
	require.NoError(t, err)
	require.Equal(t, int64(1), c.Step)
	f.empty = 1 << 30
	_, err = r.Latest(nil)
	require.ErrorIs(t, err, ErrNone)
}

func BenchmarkSave(b *testing.B) {
	s, err := Open(b.TempDir(), Options{Keep: 1})
	require.NoError(b, err)
	w := make([]float32, 4<<20)
	b.SetBytes(int64(4 * len(w)))
	for step := int64(0); b.Loop(); step++ {
		require.NoError(b, s.Save(step, nil, []Tensor{NewTensor("w", w)}))
	}
}

func BenchmarkLatest(b *testing.B) {
	s, err := Open(b.TempDir(), Options{})
	require.NoError(b, err)
	w := make([]float32, 4<<20)
	require.NoError(b, s.Save(1, nil, []Tensor{NewTensor("w", w)}))
	b.SetBytes(int64(4 * len(w)))
	for b.Loop() {
		c, err := s.Latest(nil)
		require.NoError(b, err)
		require.NoError(b, Read(c, "w", w))
	}
}
