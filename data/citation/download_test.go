package citation

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// TestBrokenArchive: an archive that arrives damaged leaves nothing behind.
func TestBrokenArchive(t *testing.T) {
	good := tarred(t, "toy/toy.content", smallContent, "toy/toy.cites", smallCites)
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"cut":            {good[:len(good)/2], "toy"},
		"altered inside": {tarred(t, "toy.content", smallContent, "toy.cites", strings.ToUpper(smallCites)), "toy.cites is not the published file"},
		"incomplete":     {tarred(t, "toy.content", smallContent), "no toy.cites in it"},
		"no archive":     {[]byte("<html>moved</html>"), "toy.tgz"},
		"a path upwards": {tarred(t, "../../toy.content", smallContent[1:], "../toy.cites", smallCites), "toy.content has"},
	} {
		s, dir := server(t, func(w http.ResponseWriter, r *http.Request) { w.Write(c.body) })
		_, _, err := s.contents(toyset("toy.tgz"))
		var missing *facts.Error
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s: left behind %v, %v", name, entries, err)
		}
	}
}

// TestHalfDownloaded: of several files, those that arrived before the connection
// was lost are kept and not fetched again.
func TestHalfDownloaded(t *testing.T) {
	var lock sync.Mutex
	var fetched []string
	broken := true
	s, dir := server(t, func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		fetched = append(fetched, r.URL.Path)
		if broken && r.URL.Path == "/toy.cites" {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, published[r.URL.Path])
	})
	_, _, err := s.contents(toyset(""))
	var missing *facts.Error
	if !errors.As(err, &missing) || !strings.HasPrefix(missing.Msg, "no toy.cites;") {
		t.Fatalf("error %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "toy.content" {
		t.Errorf("in the cache are %v, %v", entries, err)
	}
	lock.Lock()
	broken, fetched = false, nil
	lock.Unlock()
	_, _, err = s.contents(toyset(""))
	lock.Lock()
	defer lock.Unlock()
	if err != nil || len(fetched) != 1 || fetched[0] != "/toy.cites" {
		t.Errorf("fetched %v, %v", fetched, err)
	}
}

// TestManyAtOnce: several loads of the same absent data set end with the same
// files.
func TestManyAtOnce(t *testing.T) {
	var requests atomic.Int64
	s, dir := server(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, published[r.URL.Path])
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, from, err := s.contents(toyset(""))
			if err != nil || from != dir || string(c[0]) != smallContent || string(c[1]) != smallCites {
				t.Errorf("from %s: %v", from, err)
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("in the cache are %v, %v", entries, err)
	}
	if n := requests.Load(); n < 2 || n > 16 {
		t.Errorf("%d requests", n)
	}
}

// TestCacheUnusable: a cache that cannot be written is said so.
func TestCacheUnusable(t *testing.T) {
	s, _ := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, published[r.URL.Path]) })
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	s.cache = func() (string, error) { return file, nil }
	var missing *facts.Error
	if _, _, err := s.contents(toyset("")); !errors.As(err, &missing) || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
	s.cache = func() (string, error) { return "", errors.New("no home") }
	if _, _, err := s.contents(toyset("")); err == nil || !strings.Contains(err.Error(), "name a data root") {
		t.Errorf("error %v", err)
	}
}

// FuzzArchive: any bytes are refused or are the published files.
func FuzzArchive(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte(smallContent))
	d := toyset("toy.tgz")
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := d.unpack("toy.tgz", bytes.NewReader(data))
		if err == nil && string(c[0]) != smallContent {
			t.Errorf("unpacked %q", c[0])
		}
	})
}
