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

// maxEntries limits the number of archive entries that are read, and so the time that a
// hostile archive can take.
const maxEntries = 64

// open opens a file, or NAME.gz where there is no NAME, unpacked; found is the name
// of the two that is there.
func open(name string) (r io.ReadCloser, found string, err error) {
	plain, err := os.Open(name)
	if !os.IsNotExist(err) {
		return plain, name, err
	}
	found = name + ".gz"
	zipped, zippedErr := os.Open(found)
	if zippedErr != nil {
		return nil, "", err // not the error of the .gz: the plain name is the file's
	}
	z, err := gzip.NewReader(bufio.NewReader(zipped))
	if err != nil {
		zipped.Close()
		return nil, "", fmt.Errorf("%s: %w (delete it and fetch it again)", found, err)
	}
	return unzipped{z, zipped}, found, nil
}

// unzipped is a compressed file's content; closing it closes the file.
type unzipped struct {
	*gzip.Reader
	file *os.File
}

func (u unzipped) Close() error { return u.file.Close() }

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
		return nil, fmt.Errorf("%s: %w (delete it and fetch it again)", name, err)
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
			return nil, fmt.Errorf("%s: %w (delete it and fetch it again)", name, err)
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
