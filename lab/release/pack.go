package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is one in an archive.
type file struct {
	name       string
	data       []byte
	executable bool
}

func (f *file) mode() fs.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// tarball packs files into a folder of a .tar.gz without owners and with one time.
func tarball(folder string, files []file, when time.Time) (packed []byte, suffix string, err error) {
	var out bytes.Buffer
	zipper, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, "", err
	}
	w := tar.NewWriter(zipper)
	for _, f := range files {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.data)), Mode: int64(f.mode()),
			ModTime: when, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, "", err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	if err := zipper.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), ".tar.gz", nil
}

// zipped packs the same as a .zip.
func zipped(folder string, files []file, when time.Time) (packed []byte, suffix string, err error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: when}
		h.SetMode(f.mode())
		entry, err := w.CreateHeader(h)
		if err != nil {
			return nil, "", err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return out.Bytes(), ".zip", err
}

// sums is the file of checksums, in the form that sha256sum -c reads.
const sums = "SHA256SUMS"

func writeSums(dir string, names []string) error {
	var text strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(dir, sums), []byte(text.String()), 0o644)
}
