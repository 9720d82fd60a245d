package citation

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// open takes the plain file where there is one, else the compressed one, unpacked,
// and says which; where neither is there, the plain one is what is missing.
func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if _, _, err := open(name); !errors.Is(err, fs.ErrNotExist) || err.(*fs.PathError).Path != name {
		t.Errorf("no file: %v", err)
	}
	require.NoError(t, os.WriteFile(name+".gz", zipped(t, []byte("packed")), 0o666))
	read := func() (text, found string) {
		r, found, err := open(name)
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		if err != nil || r.Close() != nil {
			t.Fatal(err)
		}
		file, ok := r.(*os.File)
		if u, packed := r.(unzipped); packed {
			file, ok = u.file, true
		}
		if _, err := file.Read(make([]byte, 1)); !ok || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("the file is still open: %v", err)
		}
		return string(b), found
	}
	if text, found := read(); text != "packed" || found != name+".gz" {
		t.Errorf("%q from %s", text, found)
	}
	require.NoError(t, os.WriteFile(name, []byte("plain"), 0o666))
	if text, found := read(); text != "plain" || found != name {
		t.Errorf("%q from %s", text, found)
	}
}
