package citation

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// toyset is a data set of two small LINQS files.
func toyset(archive string) *dataset {
	entry := func(name, content string) file {
		sum := sha256.Sum256([]byte(content))
		return file{name, int64(len(content)), hex.EncodeToString(sum[:])}
	}
	return &dataset{
		name: "toy", form: LINQS, archive: archive,
		files: []file{entry("toy.content", smallContent), entry("toy.cites", smallCites)},
	}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// tarred packs files in the order of names and contents.
func tarred(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := &tar.Header{Name: files[i], Typeflag: tar.TypeReg, Size: int64(len(files[i+1])), Mode: 0o644}
		require.NoError(t, w.WriteHeader(h))
		_, err := w.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return zipped(t, b.Bytes())
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
}

// offline is a store whose downloads fail at once.
func offline(t *testing.T, root string) *store {
	cache := t.TempDir()
	s := newStore(root)
	s.cache = func() (string, error) { return cache, nil }
	s.client = &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no network in this test")
		},
	}}
	s.url = func(*dataset) string { return "http://publisher.example/" }
	return s
}

// TestPlaces: the files are found in every folder the package names, plain,
// zipped and in the publisher's archive.
func TestPlaces(t *testing.T) {
	for _, sub := range []string{"", "toy", "toy/linqs", "toy/linqs-raw", "linqs", "linqs-raw"} {
		for _, how := range []string{"plain", "gz", "archive"} {
			root := t.TempDir()
			dir := filepath.Join(root, filepath.FromSlash(sub))
			switch how {
			case "plain":
				write(t, dir, "toy.content", []byte(smallContent))
				write(t, dir, "toy.cites", []byte(smallCites))
			case "gz":
				write(t, dir, "toy.content.gz", zipped(t, []byte(smallContent)))
				write(t, dir, "toy.cites.gz", zipped(t, []byte(smallCites)))
			case "archive":
				write(t, dir, "toy.tgz", tarred(t, "toy/README", "hello", "toy/toy.cites", smallCites, "toy/toy.content", smallContent))
			}
			d := toyset("toy.tgz")
			c, from, err := offline(t, root).contents(d)
			if err != nil || from != dir {
				t.Errorf("%s, %s: from %q, %v", sub, how, from, err)
				continue
			}
			if g, err := d.parse(c); err != nil || g.Nodes() != 3 {
				t.Errorf("%s, %s: %v", sub, how, err)
			}
		}
	}
}

// TestRefused: altered, truncated, incomplete and hostile files are refused with
// their names, wherever they lie, without being unpacked beyond the published size; the
// same folder with the published files in their place is read.
func TestRefused(t *testing.T) {
	bomb := zipped(t, make([]byte, 32<<20))
	var announced bytes.Buffer
	w := tar.NewWriter(&announced)
	// 10 GB, of which nothing follows.
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "toy/toy.content", Typeflag: tar.TypeReg, Size: 10 << 30}))
	for name, c := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"altered":             {map[string][]byte{"toy.content": []byte(strings.Replace(smallContent, "p3", "p4", 1)), "toy.cites": []byte(smallCites)}, "toy.content is not the published file: sha256"},
		"truncated":           {map[string][]byte{"toy.content": []byte(smallContent[:20]), "toy.cites": []byte(smallCites)}, "toy.content has 20 bytes, published are"},
		"longer":              {map[string][]byte{"toy.content": []byte(smallContent + "x"), "toy.cites": []byte(smallCites)}, "toy.content has more than"},
		"incomplete":          {map[string][]byte{"toy.cites": []byte(smallCites)}, "lacks toy.content"},
		"a zip bomb":          {map[string][]byte{"toy.content.gz": bomb, "toy.cites": []byte(smallCites)}, "toy.content.gz has more than"},
		"no zip":              {map[string][]byte{"toy.content.gz": []byte("no"), "toy.cites": []byte(smallCites)}, "toy.content.gz: unexpected EOF (delete it and fetch it again)"},
		"a cut zip":           {map[string][]byte{"toy.content.gz": zipped(t, []byte(smallContent))[:30], "toy.cites": []byte(smallCites)}, "toy.content.gz has"},
		"an archive without":  {map[string][]byte{"toy.tgz": tarred(t, "toy/toy.cites", smallCites)}, "toy.tgz: no toy.content in it"},
		"an altered archive":  {map[string][]byte{"toy.tgz": tarred(t, "toy.content", smallCites, "toy.cites", smallCites)}, "toy.tgz: toy.content has"},
		"10 GB in an archive": {map[string][]byte{"toy.tgz": zipped(t, announced.Bytes())}, "toy.tgz: toy.content has 0 bytes"},
		"a bomb as archive":   {map[string][]byte{"toy.tgz": bomb}, "toy.tgz: "},
	} {
		root := t.TempDir()
		for file, data := range c.files {
			write(t, root, file, data)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := offline(t, root).contents(toyset("toy.tgz"))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%s: %d bytes of memory for files of a few hundred", name, used)
		}
		for file := range c.files {
			require.NoError(t, os.Remove(filepath.Join(root, file)))
		}
		write(t, root, "toy.content", []byte(smallContent))
		write(t, root, "toy.cites", []byte(smallCites))
		if _, from, err := offline(t, root).contents(toyset("toy.tgz")); err != nil || from != root {
			t.Errorf("%s: the published files afterwards: from %q, %v", name, from, err)
		}
	}
}

// TestRoots: a root that is no folder is an error, one without the files is not.
func TestRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", nil)
	for _, root := range []string{filepath.Join(dir, "nothing"), filepath.Join(dir, "file")} {
		if _, _, err := offline(t, root).contents(toyset("")); err == nil || !strings.Contains(err.Error(), "data root") {
			t.Errorf("%s: %v", root, err)
		}
	}
	_, _, err := offline(t, dir).contents(toyset(""))
	var missing *facts.Error
	if !errors.As(err, &missing) || missing.Source != filepath.Join(dir, "toy") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"toy.content, toy.cites", "no network in this test", filepath.Join(dir, "toy") + ": no", "put it into this folder"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

// server answers with the files of a map; what it does can be spoiled.
func server(t *testing.T, handle http.HandlerFunc) (*store, string) {
	t.Helper()
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	cache := t.TempDir()
	s := newStore("")
	s.cache = func() (string, error) { return cache, nil }
	s.url = func(*dataset) string { return srv.URL + "/" }
	return s, filepath.Join(cache, "hinge", "toy-linqs")
}

var published = map[string]string{"/toy.content": smallContent, "/toy.cites": smallCites}

// TestDownload: the files arrive in the cache and are not fetched again.
func TestDownload(t *testing.T) {
	for _, archive := range []string{"", "toy.tgz"} {
		hits := 0
		packed := tarred(t, "toy/toy.content", smallContent, "toy/toy.cites", smallCites)
		s, dir := server(t, func(w http.ResponseWriter, r *http.Request) {
			hits++
			if r.URL.Path == "/toy.tgz" {
				w.Write(packed)
				return
			}
			fmt.Fprint(w, published[r.URL.Path])
		})
		d := toyset(archive)
		for range 2 {
			if _, from, err := s.contents(d); err != nil || from != dir {
				t.Fatalf("from %q, %v", from, err)
			}
		}
		if want := map[string]int{"": 2, "toy.tgz": 1}[archive]; hits != want {
			t.Errorf("%d requests, want %d", hits, want)
		}
	}
}

// TestBrokenDownload: a download that is cut, altered, too long or refused leaves
// nothing that a later run would trust, and a later run repairs it.
func TestBrokenDownload(t *testing.T) {
	for name, c := range map[string]struct {
		spoil http.HandlerFunc
		want  string
	}{
		"cut in the middle": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(smallContent)))
			fmt.Fprint(w, smallContent[:15])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "unexpected EOF"},
		"cut without length": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, smallContent[:15]) }, "toy.content has 15 bytes"},
		"altered":            {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.ToUpper(smallContent)) }, "toy.content is not the published file"},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, "sends more than the expected"},
		"10 GB announced": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10737418240")
			w.WriteHeader(http.StatusOK)
		}, "announces 10737418240 bytes"},
		"gone": {http.NotFound, "404"},
	} {
		broken := true
		s, dir := server(t, func(w http.ResponseWriter, r *http.Request) {
			if broken && r.URL.Path == "/toy.content" {
				c.spoil(w, r)
				return
			}
			fmt.Fprint(w, published[r.URL.Path])
		})
		_, _, err := s.contents(toyset(""))
		var missing *facts.Error
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("%s: left behind %v, %v", name, entries, err)
		}
		broken = false
		if _, _, err := s.contents(toyset("")); err != nil {
			t.Errorf("%s: afterwards %v", name, err)
		}
	}
}

// TestDamagedCache: a file of the cache that rotted is fetched again; without
// network the error names it.
func TestDamagedCache(t *testing.T) {
	s, dir := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, published[r.URL.Path]) })
	write(t, dir, "toy.content", []byte("rotten"))
	write(t, dir, "toy.cites", []byte(smallCites))
	good := s.url
	s.url = func(*dataset) string { return "http://127.0.0.1:1/" }
	_, _, err := s.contents(toyset(""))
	var missing *facts.Error
	if !errors.As(err, &missing) || !strings.HasPrefix(missing.Msg, "no toy.content;") {
		t.Errorf("error %v", err)
	}
	s.url = good
	if _, _, err := s.contents(toyset("")); err != nil {
		t.Error(err)
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := Load("pubmed", LINQS, ""); err == nil || !strings.Contains(err.Error(), "none of cora, citeseer") {
		t.Error(err)
	}
	if _, err := Load("cora", "csv", ""); err == nil || !strings.Contains(err.Error(), "none of linqs, planetoid") {
		t.Error(err)
	}
}
