package citation

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// maxEntries bounds the entries of an archive that are looked at, and with them
// the time: what the archive claims about their sizes is not believed.
const maxEntries = 64

// unzip is verify of a gzip-compressed file.
func (f *file) unzip(path string, r io.Reader) ([]byte, error) {
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f.verify(path, z)
}

// readArchive returns the verified files of a .tgz, or nil if there is none.
func (d *dataset) readArchive(name string) ([][]byte, error) {
	in, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("citation: %w", err)
	}
	defer in.Close()
	c, err := d.unpack(name, in)
	if err != nil {
		return nil, fmt.Errorf("citation: %w", err)
	}
	return c, nil
}

// unpack reads the data set's files out of a .tgz, whatever folder they are in
// there. No name of the archive ever becomes a file's name, and no more is read
// than the published sizes and maxEntries allow.
func (d *dataset) unpack(name string, r io.Reader) ([][]byte, error) {
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	total := int64(1 << 20)
	for _, f := range d.files {
		total += 2 * f.size
	}
	tr := tar.NewReader(io.LimitReader(z, total))
	contents := make([][]byte, len(d.files))
	for range maxEntries {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range d.files {
			if f := &d.files[i]; h.Typeflag == tar.TypeReg && path.Base(h.Name) == f.name {
				if contents[i], err = f.verify(name+": "+f.name, tr); err != nil {
					return nil, err
				}
			}
		}
	}
	for i, c := range contents {
		if c == nil {
			return nil, fmt.Errorf("%s: no %s in it", name, d.files[i].name)
		}
	}
	return contents, nil
}
