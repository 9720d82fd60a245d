package facts

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
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
	if err := WriteFile(filepath.Join(dir, "no", "P.txt"), func(*bufio.Writer) error { return nil }); err == nil {
		t.Error("a file in no folder")
	}
}
