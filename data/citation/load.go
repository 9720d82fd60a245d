package citation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hinge/symbolic/facts"
)

// downloadTimeout bounds one file's download.
const downloadTimeout = 5 * time.Minute

// Load finds, verifies and reads a published data set: name is one of Names.
//
// The files are taken from below the data root, where they may lie in the root
// itself or in NAME, NAME/FORM, NAME/FORM-raw, FORM or FORM-raw, plain or with
// .gz; else from the user's cache folder; else they are downloaded to there.
// The LINQS files may also lie there as the archive the publisher offers. An
// empty root means the cache.
//
// Size and sha256 of every file must be the published ones, wherever the file lies; a file
// that differs is an error that names it. Of files that are nowhere and
// could not be downloaded, a *facts.Error says where to put them.
func Load(name string, form Form, root string) (*Graph, error) {
	return newStore(root).load(name, form)
}

// store is Load's view of the outside world, so that tests can replace it.
type store struct {
	root   string
	cache  func() (string, error) // the user's cache folder
	client *http.Client
	url    func(d *dataset) string // the publisher's folder
}

func newStore(root string) *store {
	return &store{
		root: root, cache: os.UserCacheDir,
		client: &http.Client{Timeout: downloadTimeout},
		url:    func(d *dataset) string { return d.url },
	}
}

func (s *store) load(name string, form Form) (*Graph, error) {
	d, err := find(name, form)
	if err != nil {
		return nil, err
	}
	contents, source, err := s.contents(d)
	if err != nil {
		return nil, err
	}
	g, err := d.parse(contents)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, source)
	}
	return g, nil
}

// contents returns the verified files of a data set and their folder.
func (s *store) contents(d *dataset) ([][]byte, string, error) {
	if s.root != "" {
		if info, err := os.Stat(s.root); err != nil {
			return nil, "", fmt.Errorf("citation: data root: %w (name an existing folder)", err)
		} else if !info.IsDir() {
			return nil, "", fmt.Errorf("citation: data root %s is not a folder", s.root)
		}
		for _, dir := range d.folders(s.root) {
			if c, err := d.readFolder(dir); c != nil || err != nil {
				return c, dir, err
			}
		}
	}
	dir, err := s.cacheFolder(d)
	if err != nil {
		return nil, "", err
	}
	if c, err := d.readFolder(dir); c != nil && err == nil {
		return c, dir, nil
	}
	// Absent, incomplete or damaged: download the files again.
	if err := s.download(d, dir); err != nil {
		put := dir
		if s.root != "" {
			put = filepath.Join(s.root, d.name)
		}
		return nil, "", &facts.Error{Source: put, Err: err,
			Msg: fmt.Sprintf("no %s; put it into this folder (from %s), since downloading failed", strings.Join(d.missing(dir), ", "), s.url(d)+d.archive)}
	}
	c, err := d.readFolder(dir)
	return c, dir, err
}

func (s *store) cacheFolder(d *dataset) (string, error) {
	base, err := s.cache()
	if err != nil {
		return "", fmt.Errorf("citation: no folder for downloads (%w): name a data root (-data or HINGE_DATA)", err)
	}
	return filepath.Join(base, "hinge", d.name+"-"+string(d.form)), nil
}

// folders are the places below a data root where the files may lie.
func (d *dataset) folders(root string) []string {
	form := string(d.form)
	return []string{
		root, filepath.Join(root, d.name), filepath.Join(root, d.name, form), filepath.Join(root, d.name, form+"-raw"),
		filepath.Join(root, form), filepath.Join(root, form+"-raw"),
	}
}

// readFolder returns the verified files of dir, or nil where there are none of
// them. Some but not all is an error.
func (d *dataset) readFolder(dir string) ([][]byte, error) {
	contents := make([][]byte, len(d.files))
	var gone []string
	for i, f := range d.files {
		var err error
		if contents[i], err = f.read(dir); os.IsNotExist(err) {
			gone = append(gone, f.name)
		} else if err != nil {
			return nil, fmt.Errorf("citation: %w", err)
		}
	}
	switch {
	case len(gone) == 0:
		return contents, nil
	case len(gone) < len(d.files):
		return nil, fmt.Errorf("citation: %s lacks %s; add it or remove the others", dir, strings.Join(gone, ", "))
	case d.archive != "":
		return d.readArchive(filepath.Join(dir, d.archive))
	}
	return nil, nil
}

// missing returns the files that are not in dir as published.
func (d *dataset) missing(dir string) []string {
	var gone []string
	for _, f := range d.files {
		if _, err := f.read(dir); err != nil {
			gone = append(gone, f.name)
		}
	}
	return gone
}

// read returns the file's content from dir, unpacking NAME.gz where there is no
// NAME. It reads one byte more than published and no further.
func (f *file) read(dir string) ([]byte, error) {
	in, found, err := open(filepath.Join(dir, f.name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return f.verify(found, in)
}

// verify reads the content and compares it with what was published.
func (f *file) verify(path string, r io.Reader) ([]byte, error) {
	data := make([]byte, f.size+1)
	n, err := io.ReadFull(r, data)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data = data[:n]
	if int64(n) != f.size {
		what := fmt.Sprintf("has %d bytes", n)
		if int64(n) > f.size {
			what = fmt.Sprintf("has more than %d bytes", f.size)
		}
		return nil, fmt.Errorf("%s %s, published are %d (delete it and fetch it again)", path, what, f.size)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.sha256 {
		return nil, fmt.Errorf("%s is not the published file: sha256 %x, want %s (delete it and fetch it again)", path, sum, f.sha256)
	}
	return data, nil
}
