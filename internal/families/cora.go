package families

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Cora returns the model of the family citation on the citations of Cora, as
// distributed by the LINQS group: cora.content (paper, words, topic) and
// cora.cites (cited, citing), plain or with .gz, in dir. Which half of the
// papers is observed follows from the seed. Errors name file and line.
func Cora(dir string, seed uint64) (*Model, error) {
	var g graph
	var ids, names []string
	number := map[string]int32{}
	err := eachLine(filepath.Join(dir, "cora.content"), func(f []string) error {
		id, topic := f[0], f[len(f)-1]
		if _, twice := number[id]; twice || len(f) < 2 {
			return fmt.Errorf("paper %q is there twice or without topic", id)
		}
		number[id] = int32(len(ids))
		ids = append(ids, id)
		names = append(names, topic)
		return nil
	})
	if err != nil {
		return nil, err
	}
	known := slices.Compact(slices.Sorted(slices.Values(names)))
	if len(known) != topics {
		return nil, fmt.Errorf("families: cora.content has %d topics, want %d", len(known), topics)
	}
	for _, name := range names {
		t, _ := slices.BinarySearch(known, name)
		g.topic = append(g.topic, t)
	}
	err = eachLine(filepath.Join(dir, "cora.cites"), func(f []string) error {
		if len(f) != 2 {
			return fmt.Errorf("%d fields, want 2", len(f))
		}
		cited, ok := number[f[0]]
		citing, also := number[f[1]]
		if !ok || !also {
			return fmt.Errorf("%s or %s is not in cora.content", f[0], f[1])
		}
		g.cites = append(g.cites, [2]int32{citing, cited})
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := newBuilder(rand.New(rand.NewPCG(seed, 0)))
	b.collective(g, ids)
	return b.model("citation", 1e-1)
}

// eachLine calls f with the tab-separated fields of each line of a file; if
// there is no such file, of the file with .gz added.
func eachLine(path string, f func([]string) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if gz, gzErr := os.Open(path + ".gz"); gzErr == nil {
			file, err, path = gz, nil, path+".gz"
		}
	}
	if err != nil {
		return fmt.Errorf("families: %w", err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return fmt.Errorf("families: %s: %w", path, err)
		}
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if err := f(strings.Split(in.Text(), "\t")); err != nil {
			return fmt.Errorf("families: %s:%d: %w", path, n, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("families: %s: %w", path, err)
	}
	return nil
}
