package facts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that cannot be written whole is not there, and the old one stays.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "P.txt")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
	failure := errors.New("disk full")
	err := WriteFile(path, func(w *bufio.Writer) error {
		_, _ = w.WriteString("new")
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	data, _ := os.ReadFile(path)
	files, _ := os.ReadDir(dir)
	if string(data) != "old" || len(files) != 1 {
		t.Errorf("%q in %v", data, files)
	}
	path = filepath.Join(dir, "no", "P.txt")
	err = WriteFile(path, func(*bufio.Writer) error { return nil })
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "open "+path+": ") {
		t.Errorf("a file in no folder: %v", err)
	}
}

// What is no file stays what it is: a link leads to what was written, as in a shell, a pipe hands it on.
func TestWriteThrough(t *testing.T) {
	dir := t.TempDir()
	file, link, missing := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "missing")
	require.NoError(t, os.WriteFile(file, []byte("longer than new"), 0o600))
	require.NoError(t, os.Symlink("file", link))
	require.NoError(t, os.Symlink("made", missing))
	for path, target := range map[string]string{link: file, missing: filepath.Join(dir, "made")} {
		require.NoError(t, Replace(path, []byte("new")))
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, os.ModeSymlink, info.Mode().Type())
		data, err := os.ReadFile(target)
		require.NoError(t, err)
		require.Equal(t, "new", string(data))
	}
	require.Error(t, WriteFile(link, func(*bufio.Writer) error { return errors.New("no") }))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "new", string(data), "after an error")
	out, in, err := os.Pipe()
	require.NoError(t, err)
	defer out.Close()
	require.NoError(t, Replace(fmt.Sprintf("/dev/fd/%d", in.Fd()), []byte("new")))
	require.NoError(t, in.Close())
	data, err = io.ReadAll(out)
	require.NoError(t, err)
	require.Equal(t, "new", string(data), "of a pipe")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 4)
}
