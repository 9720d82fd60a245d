package linqs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// put writes files into a folder; names that end in .gz are compressed.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			data = zip(t, text)
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// wantError checks that an error contains all of the texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	require.Errorf(t, err, "no error, want one with %q", texts)
	for _, text := range texts {
		assert.Containsf(t, err.Error(), text, "the error is %q", err)
	}
}

func collect(path string, fields int) (lines []string, err error) {
	err = eachLine(path, "Ask the librarian", fields, func(f []string) error {
		lines = append(lines, strings.Join(f, "|"))
		return nil
	})
	return lines, err
}

func TestEachLine(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.txt": "x\ty\n\n  \n u \tv\t\r\nlast\tline", "b.txt.gz": "x\ty\n"})
	for name, want := range map[string]string{"a.txt": "x|y u|v last|line", "b.txt": "x|y", "b.txt.gz": "x|y"} {
		lines, err := collect(filepath.Join(dir, name), 2)
		if got := strings.Join(lines, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

// Mistakes are told with file and line; a missing file with its source.
func TestEachLineErrors(t *testing.T) {
	dir := t.TempDir()
	whole := string(zip(t, strings.Repeat("x\ty\n", 50)))
	for name, text := range map[string]string{
		"few.txt": "x\ty\nx\n", "many.txt": "x\ty\tz\n", "long.txt": "x\ty\n" + strings.Repeat("x", 1<<24),
		"latin.txt": "x\ty\n\nx\t\xff\n", "cut.gz": whole[:len(whole)-9], "text.gz": "x\ty\n",
	} {
		// Written as they are, the compressed ones too.
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for name, want := range map[string][]string{
		"few.txt": {"few.txt:2:1: the line has 1 field, the first line has 2"}, "many.txt": {"many.txt:1:5: the value \"z\" is not a number"},
		"long.txt": {"long.txt:2:1: ", "more than"}, "latin.txt": {"latin.txt:3:1: ", "UTF-8"},
		"cut.gz": {"cut.gz:", "unexpected EOF"}, "text.gz": {"text.gz: ", "the file is not compressed by gzip"},
		"none.txt": {"none.txt: there is no such file", "Ask the librarian"},
	} {
		_, err := collect(filepath.Join(dir, name), 2)
		wantError(t, err, want...)
		if isMissing := errors.Is(err, fs.ErrNotExist); isMissing != (name == "none.txt") {
			t.Errorf("%s: missing %v", name, isMissing)
		}
	}
}

// FuzzEachLine: no input panics, and every error names the file.
func FuzzEachLine(f *testing.F) {
	f.Add([]byte("1\t2\t1\n3\t4\t0\n"))
	f.Add([]byte("1\t2\n\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "knows.txt"), data, 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trusts.txt"), data, 0o666))
		net, err := ReadEpinions(dir)
		if err != nil && !strings.Contains(err.Error(), "s.txt:") {
			t.Errorf("the error %q names no file", err)
		}
		if err == nil && len(net.Judgements) == 0 {
			t.Error("an empty network without an error")
		}
	})
}
