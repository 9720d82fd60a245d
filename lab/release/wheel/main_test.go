package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPack: the archive is the same each time, holds the package and what is beside it, and
// its list of hashes is that of its files.
func TestPack(t *testing.T) {
	bin := t.TempDir()
	for _, p := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(bin, p+".exe"), []byte("program"), 0o666))
	}
	var archives [][]byte
	for range 2 {
		files, version, err := collect(filepath.Join("..", "..", ".."), bin)
		require.NoError(t, err)
		data, err := pack(files, version, platforms["windows/amd64"])
		require.NoError(t, err)
		archives = append(archives, data)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two wheels of the same files differ")
	}
	z, err := zip.NewReader(bytes.NewReader(archives[0]), int64(len(archives[0])))
	require.NoError(t, err)
	files, record := map[string]string{}, ""
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		files[f.Name] = string(data)
		if strings.HasSuffix(f.Name, "/RECORD") {
			record = f.Name
		}
		if runs := f.Mode()&0o111 != 0; runs != strings.HasPrefix(f.Name, "hinge/bin/") {
			t.Errorf("%s has the mode %v", f.Name, f.Mode())
		}
	}
	info := strings.TrimSuffix(record, "RECORD")
	for name, text := range map[string]string{
		"hinge/__init__.py": "__version__", "hinge/torch.py": "autograd", "hinge/bin/infer.exe": "program",
		info + "METADATA": "Name: hinge-nesy", info + "WHEEL": "Tag: py3-none-win_amd64\n", info + "LICENSE": "Apache", info + "NOTICE": "",
	} {
		if data, ok := files[name]; !ok || !strings.Contains(data, text) {
			t.Errorf("%s does not hold %q", name, text)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(files[record])).ReadAll()
	if err != nil || len(rows) != len(files) {
		t.Fatalf("the list has %d files of %d: %v", len(rows), len(files), err)
	}
	for _, row := range rows {
		sum := sha256.Sum256([]byte(files[row[0]]))
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); row[0] != record && row[1] != want {
			t.Errorf("%s has the hash %s in the list, want %s", row[0], row[1], want)
		}
	}
	if _, err := run(".", t.TempDir(), "plan9/386", ""); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("another system: %v", err)
	}
	if _, err := run(filepath.Join("..", "..", ".."), t.TempDir(), "linux/amd64", t.TempDir()); err == nil || !strings.Contains(err.Error(), "0 programs infer") {
		t.Errorf("a folder without programs: %v", err)
	}
}

// TestBuiltFor: a wheel for one system takes no programs of another.
func TestBuiltFor(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	bin := t.TempDir()
	for _, p := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(bin, p), program, 0o666))
	}
	here, root := runtime.GOOS+"/"+runtime.GOARCH, filepath.Join("..", "..", "..")
	for system, tag := range platforms {
		name, err := run(root, t.TempDir(), system, bin)
		if system == here {
			require.NoError(t, err)
			require.Contains(t, name, tag)
			continue
		}
		require.ErrorContains(t, err, "is a program for "+here+", the wheel is for "+system)
	}
}

// TestPrograms: every command is in the wheel.
func TestPrograms(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", "..", "..", "cmd"))
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			names = append(names, e.Name())
		}
	}
	require.Equal(t, names, programs)
}
