package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

var (
	when  = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	files = []file{{"train", []byte("a program"), true}, {"LICENSE", []byte("text"), false}}
)

// TestTarball: files have one time, no owner and the mode of what they are, and packing
// twice gives the same bytes.
func TestTarball(t *testing.T) {
	packed, suffix, err := tarball("hinge-1", files, when)
	if err != nil || suffix != ".tar.gz" {
		t.Fatal(suffix, err)
	}
	time.Sleep(time.Second / 100)
	if again, _, err := tarball("hinge-1", files, when); err != nil || !bytes.Equal(again, packed) {
		t.Error("packed twice it differs", err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	r := tar.NewReader(plain)
	for _, f := range files {
		h, err := r.Next()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		if err != nil || h.Name != "hinge-1/"+f.name || !bytes.Equal(data, f.data) || !h.ModTime.Equal(when) ||
			h.FileInfo().Mode() != f.mode() || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%+v, %v", h, err)
		}
	}
}

// TestZipped: the same of the archives for Windows.
func TestZipped(t *testing.T) {
	packed, suffix, err := zipped("hinge-1", files, when)
	if err != nil || suffix != ".zip" {
		t.Fatal(suffix, err)
	}
	if again, _, err := zipped("hinge-1", files, when); err != nil || !bytes.Equal(again, packed) {
		t.Error("packed twice it differs", err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(r.File) != len(files) {
		t.Fatal(err)
	}
	for i, f := range r.File {
		if f.Name != "hinge-1/"+files[i].name || !f.Modified.Equal(when) || f.Mode() != files[i].mode() {
			t.Errorf("%+v", f.FileHeader)
		}
	}
}

// TestBill: the bill names every program with its checksum and every module by its package URL.
func TestBill(t *testing.T) {
	linked := []module{{"example.org/m", "v2.0.3+incompatible", "h1:sum="}}
	text, err := billOfMaterials(targets[0], linked, files[:1], when)
	require.NoError(t, err)
	if again, err := billOfMaterials(targets[0], linked, files[:1], when); err != nil || !bytes.Equal(again, text) {
		t.Error("made twice it differs", err)
	}
	var bom cyclonedx.BOM
	require.NoError(t, cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bom))
	found := map[string]bool{}
	for _, c := range *bom.Components {
		found[c.PackageURL] = true
		if c.Hashes != nil {
			found[(*c.Hashes)[0].Value] = true
		}
	}
	if !found["pkg:golang/example.org/m@v2.0.3%2Bincompatible"] || !found[fmt.Sprintf("%x", sha256.Sum256(files[0].data))] {
		t.Errorf("%s", text)
	}
}

// TestLicence: texts are found whatever their case, and that there is none is said.
func TestLicence(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := licence(&out, "m v1", dir); err != nil || !strings.Contains(out.String(), "m v1: the module has no file of a licence") {
		t.Error(out.String(), err)
	}
	for name, text := range map[string]string{"License.md": "you may", "license.go": "package m", "main.go": "no"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	out.Reset()
	if err := licence(&out, "m v1", dir); err != nil || out.String() != "==== m v1: License.md\n\nyou may\n\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestErrors: an unknown system, a folder that is not empty and a program with a path are refused.
func TestErrors(t *testing.T) {
	if _, err := choose("linux-amd64,plan9-arm"); err == nil || !strings.Contains(err.Error(), `"plan9-arm"`) {
		t.Error(err)
	}
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "f"), nil, 0o644))
	if err := run(full, "", true); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	if err := anonymous("train", []byte("x"+here+"/y")); err == nil || anonymous("train", []byte("x")) != nil {
		t.Error(err)
	}
}

// TestSums: the checksums are in the form of sha256sum.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o644))
	require.NoError(t, writeSums(dir, []string{"a"}))
	got, err := os.ReadFile(filepath.Join(dir, sums))
	if want := fmt.Sprintf("%x  a\n", sha256.Sum256([]byte("text"))); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPrograms: every command is in an archive.
func TestPrograms(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", "..", "cmd"))
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			names = append(names, e.Name())
		}
	}
	require.Equal(t, names, commands)
}
