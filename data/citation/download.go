package citation

import (
	"bytes"
	"errors"
	"fmt"
	"hinge/symbolic/facts"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
)

// maxArchive bounds the bytes of an archive that are downloaded.
const maxArchive = 32 << 20

// download fetches the files of a data set that dir does not hold as published.
// A file gets its name only after its content was verified, through a rename, so
// a download that breaks off leaves nothing that a later run would read.
func (s *store) download(d *dataset, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if d.archive != "" {
		body, err := s.get(s.url(d)+d.archive, maxArchive)
		if err != nil {
			return err
		}
		contents, err := d.unpack(d.archive, bytes.NewReader(body))
		if err != nil {
			return err
		}
		for i, f := range d.files {
			if err := facts.Replace(filepath.Join(dir, f.name), contents[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for _, f := range d.files {
		if _, err := f.read(dir); err == nil {
			continue
		}
		body, err := s.get(s.url(d)+f.name, f.size)
		if err != nil {
			return err
		}
		if _, err := f.verify(f.name, bytes.NewReader(body)); err != nil {
			return err
		}
		if err := facts.Replace(filepath.Join(dir, f.name), body); err != nil {
			return err
		}
	}
	return nil
}

// get fetches a URL of at most limit bytes; a longer answer is an error, whether
// it announces its length or not.
func (s *store) get(address string, limit int64) ([]byte, error) {
	resp, err := s.client.Get(address)
	if err != nil {
		// The caller's message already contains the address.
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, resp.Status)
	}
	if resp.ContentLength > limit {
		return nil, fmt.Errorf("%s announces %d bytes, expected are at most %d", address, resp.ContentLength, limit)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%s sends more than the expected %d bytes", address, limit)
	}
	return body, nil
}
