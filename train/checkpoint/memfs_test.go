package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// errCrashed is what every operation returns after the crash.
var errCrashed = errors.New("memfs: crashed")

// memFS is a file system in memory that forgets, when it crashes, what POSIX
// allows to be forgotten: file contents since the last Sync, and changes of a
// folder's entries since its last SyncDir, each on its own.
type memFS struct {
	mu   sync.Mutex
	root *node
	temp int

	// ops counts the operations that change something. crashAt is the one
	// during which the machine stops; failAt the one that fails with failErr.
	ops, crashAt, failAt int
	failErr              error
	crashed              bool
	// full makes everything that needs space fail.
	full bool
	// lying makes the Sync of files do nothing.
	lying bool
}

var _ FS = (*memFS)(nil)

// node is a file or folder.
type node struct {
	dir bool

	data, synced []byte // of a file: now, and at the last Sync

	entries, durable map[string]*node // of a folder: now, and at the last SyncDir
	pending          []change         // what leads from durable to entries
}

// change is one atomic change of a folder: remove from, add to.
type change struct {
	from, to string
	node     *node
}

func newMemFS() *memFS { return &memFS{root: newDir()} }

func newDir() *node {
	return &node{dir: true, entries: map[string]*node{}, durable: map[string]*node{}}
}

// apply makes a change to a folder's entries.
func (c change) apply(entries map[string]*node) {
	if c.from != "" {
		delete(entries, c.from)
	}
	if c.to != "" {
		entries[c.to] = c.node
	}
}

func (n *node) change(c change) {
	c.apply(n.entries)
	n.pending = append(n.pending, c)
}

// begin counts a changing operation and reports whether it may go on. partial is
// true when the machine stops in the middle of it.
func (m *memFS) begin(space bool) (partial bool, err error) {
	if m.crashed {
		return false, errCrashed
	}
	m.ops++
	switch {
	case m.ops == m.crashAt:
		m.crashed = true
		return true, errCrashed
	case m.ops == m.failAt:
		return false, m.failErr
	case space && m.full:
		return false, syscall.ENOSPC
	}
	return false, nil
}

// crash returns the file system as it is found after the machine stopped: of
// what was not synced each piece survives with the given probability in percent.
func (m *memFS) crash(rng *rand.Rand, percent int) *memFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := map[*node]*node{}
	return &memFS{root: m.root.afterCrash(rng, percent, seen)}
}

func (n *node) afterCrash(rng *rand.Rand, percent int, seen map[*node]*node) *node {
	if c, ok := seen[n]; ok {
		return c
	}
	if !n.dir {
		c := &node{data: n.survivingData(rng, percent)}
		c.synced = slices.Clone(c.data)
		seen[n] = c
		return c
	}
	c := newDir()
	seen[n] = c
	entries := maps.Clone(n.durable)
	for _, p := range n.pending {
		if rng.IntN(100) < percent {
			p.apply(entries)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		c.entries[name] = entries[name].afterCrash(rng, percent, seen)
	}
	c.durable = maps.Clone(c.entries)
	return c
}

// survivingData returns what is left of a file: some of the unsynced end, and
// possibly zeros where blocks were promised but not written.
func (n *node) survivingData(rng *rand.Rand, percent int) []byte {
	if percent >= 100 {
		return slices.Clone(n.data)
	}
	if percent <= 0 || !strings.HasPrefix(string(n.data), string(n.synced)) {
		return slices.Clone(n.synced)
	}
	fresh := len(n.data) - len(n.synced)
	keep := fresh * percent / 100
	if fresh > 0 {
		keep = min(fresh, keep+rng.IntN(fresh-keep+1))
	}
	data := slices.Clone(n.data[:len(n.synced)+keep])
	if keep > 0 && rng.IntN(2) == 0 {
		from := len(n.synced) + rng.IntN(keep)
		clear(data[from:])
	}
	return data
}

func splitPath(name string) []string {
	return strings.FieldsFunc(filepath.ToSlash(name), func(r rune) bool { return r == '/' })
}

// find returns the node of a path.
func (m *memFS) find(op, name string) (*node, error) {
	n := m.root
	for _, part := range splitPath(name) {
		if !n.dir {
			return nil, &fs.PathError{Op: op, Path: name, Err: syscall.ENOTDIR}
		}
		next, ok := n.entries[part]
		if !ok {
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		n = next
	}
	return n, nil
}

// parent returns the folder that holds a path.
func (m *memFS) parent(op, name string) (*node, error) {
	n, err := m.find(op, filepath.Dir(name))
	if err == nil && !n.dir {
		err = &fs.PathError{Op: op, Path: name, Err: syscall.ENOTDIR}
	}
	return n, err
}

func (m *memFS) MkdirAll(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.begin(true); err != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	n := m.root
	for _, part := range splitPath(dir) {
		if n.entries[part] == nil {
			n.change(change{to: part, node: newDir()})
			n.durable, n.pending = maps.Clone(n.entries), nil
		}
		n = n.entries[part]
	}
	return nil
}

func (m *memFS) MkdirTemp(dir, prefix string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.temp++
	name := filepath.Join(dir, fmt.Sprint(prefix, m.temp))
	partial, err := m.begin(true)
	if err == nil || partial {
		p, perr := m.parent("mkdir", name)
		if perr != nil {
			return "", perr
		}
		p.change(change{to: filepath.Base(name), node: newDir()})
	}
	if err != nil {
		return "", &fs.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return name, nil
}

func (m *memFS) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.begin(true); err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	p, err := m.parent("create", name)
	if err != nil {
		return nil, err
	}
	n := p.entries[filepath.Base(name)]
	if n == nil {
		n = &node{}
		p.change(change{to: filepath.Base(name), node: n})
	}
	n.data = nil
	return &memFile{m, n, name}, nil
}

// memFile is an open file.
type memFile struct {
	fs   *memFS
	node *node
	name string
}

func (f *memFile) Write(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	partial, err := f.fs.begin(true)
	if partial || errors.Is(err, syscall.ENOSPC) {
		f.node.data = append(f.node.data, p[:len(p)/2]...)
	}
	if err != nil {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: err}
	}
	f.node.data = append(f.node.data, p...)
	return len(p), nil
}

func (f *memFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if _, err := f.fs.begin(false); err != nil {
		return &fs.PathError{Op: "sync", Path: f.name, Err: err}
	}
	if !f.fs.lying {
		f.node.synced = slices.Clone(f.node.data)
	}
	return nil
}

func (f *memFile) Close() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if _, err := f.fs.begin(false); err != nil {
		return &fs.PathError{Op: "close", Path: f.name, Err: err}
	}
	return nil
}

func (m *memFS) ReadFile(name string, limit int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	if err := checkSize(name, int64(len(n.data)), limit, !n.dir); err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

func (m *memFS) ReadDir(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("open", dir)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(n.entries)), nil
}

// Rename moves within one folder, which is all a Store does.
func (m *memFS) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	partial, err := m.begin(false)
	if err != nil && !partial {
		return &fs.PathError{Op: "rename", Path: from, Err: err}
	}
	n, ferr := m.find("rename", from)
	if ferr != nil {
		return ferr
	}
	if filepath.Dir(from) != filepath.Dir(to) {
		return fmt.Errorf("memfs: rename of %s to another folder", from)
	}
	p, perr := m.parent("rename", to)
	if perr != nil {
		return perr
	}
	if old := p.entries[filepath.Base(to)]; old != nil && old.dir {
		return &fs.PathError{Op: "rename", Path: to, Err: syscall.ENOTEMPTY}
	}
	p.change(change{from: filepath.Base(from), to: filepath.Base(to), node: n})
	return err
}

func (m *memFS) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.begin(false); err != nil {
		return &fs.PathError{Op: "sync", Path: dir, Err: err}
	}
	n, err := m.find("sync", dir)
	if err != nil {
		return err
	}
	n.durable, n.pending = maps.Clone(n.entries), nil
	return nil
}

func (m *memFS) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	partial, err := m.begin(false)
	if err != nil && !partial {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	n, ferr := m.find("remove", name)
	if ferr != nil {
		return nil
	}
	for _, child := range slices.Sorted(maps.Keys(n.entries)) {
		n.change(change{from: child})
		if partial {
			return err // the machine stops after the first file
		}
	}
	if p, perr := m.parent("remove", name); perr == nil {
		p.change(change{from: filepath.Base(name)})
	}
	return err
}
