package checkpoint

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// damaged saves two steps, lets damage loose on the folder of the second, and
// returns what Latest then finds and says.
func damaged(t *testing.T, damage func(dir string) error) (step int64, reason error) {
	t.Helper()
	s := open(t, Options{})
	save(t, s, 10, 20)
	require.NoError(t, damage(filepath.Join(s.Dir(), "step-00000020")))
	c, err := s.Latest(func(name string, err error) { reason = err })
	require.NoError(t, err)
	assert.NoError(t, verify(c))
	return c.Step, reason
}

// Every byte of every file, changed in three ways: always noticed.
func TestFlipEveryByte(t *testing.T) {
	f := newMemFS()
	s, err := Open(storeDir, Options{FS: f})
	require.NoError(t, err)
	save(t, s, 10)
	flips := 0
	for _, name := range append([]string{manifestName}, fileNames...) {
		n, err := f.find("", filepath.Join(storeDir, "step-00000010", name))
		require.NoError(t, err)
		for i := range n.data {
			for _, mask := range []byte{0x01, 0x20, 0xff} {
				n.data[i] ^= mask
				_, err := s.Load(10)
				assert.Errorf(t, err, "byte %d of %s xor %#02x: not noticed", i, name, mask)
				n.data[i] ^= mask
				flips++
			}
		}
	}
	if c, err := s.Load(10); err != nil || verify(c) != nil {
		t.Errorf("unharmed again: %v", err)
	}
	t.Logf("%d changes", flips)
}

// Nor do the checks rest on the checksums alone: with them put right, a
// damaged tensor file is refused or read as tensors, never a panic.
func TestFlipEveryByteOfTensors(t *testing.T) {
	var b strings.Builder
	_, tensors := saved(10)
	require.NoError(t, WriteSafetensors(&b, tensors))
	data := []byte(b.String())
	for i := range data {
		for _, mask := range []byte{0x01, 0x20, 0xff} {
			data[i] ^= mask
			if p, err := ParseSafetensors(data); err == nil {
				for _, name := range p.Names() {
					_, err = p.Tensor(name)
					require.NoError(t, err)
				}
			}
			data[i] ^= mask
		}
	}
}

// rewrite changes a file and puts its checksum and that of the manifest right,
// as an attacker or another program would.
func rewrite(dir, name string, change func([]byte) []byte) error {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	data = change(data)
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		return err
	}
	return rewriteManifest(dir, func(m *manifest) {
		for i := range m.Files {
			if m.Files[i].Name == name {
				m.Files[i].Size, m.Files[i].SHA256 = int64(len(data)), checksum(data)
			}
		}
	})
}

func rewriteManifest(dir string, change func(*manifest)) error {
	file := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	change(&m)
	if data, err = m.encode(); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

func TestDamageIsNamed(t *testing.T) {
	replace := func(name, text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
	}
	remove := func(name string) func(string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	edit := func(change func(*manifest)) func(string) error {
		return func(dir string) error { return rewriteManifest(dir, change) }
	}
	cases := map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"no manifest":       {remove(manifestName), manifestName},
		"no state":          {remove(stateName), stateName},
		"no tensors":        {remove(tensorsName), tensorsName},
		"empty manifest":    {replace(manifestName, ""), "not valid JSON"},
		"huge manifest":     {replace(manifestName, strings.Repeat(" ", maxManifest+1)), "more than"},
		"state cut":         {replace(stateName, "{"), "bytes, want"},
		"tensors too long":  {replace(tensorsName, strings.Repeat("x", 1<<20)), "more than"},
		"empty folder":      {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) }, manifestName},
		"a file, no folder": {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644)) }, "step-00000020"},
		"state is a folder": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, stateName)), os.Mkdir(filepath.Join(dir, stateName), 0o755))
		}, "not a regular file"},
		"newer format":      {edit(func(m *manifest) { m.Format = 2 }), "use a newer one"},
		"format 0":          {edit(func(m *manifest) { m.Format = 0 }), "format 0"},
		"another step":      {edit(func(m *manifest) { m.Step = 21 }), "renamed"},
		"negative size":     {edit(func(m *manifest) { m.Files[0].Size = -1 }), "more than the -1"},
		"a path outside":    {edit(func(m *manifest) { m.Files[0].Name = "../../etc/passwd" }), "lists"},
		"a file not listed": {edit(func(m *manifest) { m.Files = m.Files[:1] }), "lists"},
		"state of another step": {func(dir string) error {
			return rewrite(dir, stateName, func(b []byte) []byte { return []byte(strings.Replace(string(b), "20", "10", 1)) })
		}, "state.json is of step 10"},
		"state not JSON": {func(dir string) error {
			return rewrite(dir, stateName, func(b []byte) []byte { return b[1:] })
		}, stateName},
		"tensors not tensors": {func(dir string) error {
			return rewrite(dir, tensorsName, func(b []byte) []byte { return b[:len(b)-1] })
		}, "safetensors"},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		step, reason := damaged(t, c.damage)
		if step != 10 || reason == nil || !strings.Contains(reason.Error(), c.want) {
			t.Errorf("%s: step %d is loaded, reason %v, want one with %q", name, step, reason, c.want)
		}
	}
}

func TestFolderNames(t *testing.T) {
	for _, f := range []folder{newFolder(0, 1), newFolder(120, 1), newFolder(120, 2), newFolder(99999999, 1), newFolder(100000000, 7), newFolder(1<<63-1, 1)} {
		if got, ok := parseFolder(f.name); !ok || got != f {
			t.Errorf("%+v is read as %+v, %v", f, got, ok)
		}
	}
	assert.Equal(t, "step-00000120", newFolder(120, 1).name, "step 120 is in")
}
