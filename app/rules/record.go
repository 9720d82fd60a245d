package rules

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hinge/app/cli"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// The files of a run folder.
const (
	searchFile  = "search.gob"
	weightsFile = "weights.gob"
	resultFile  = "result.json"
)

// found is the record of the search.
type found struct {
	Digest  uint64
	Seconds float64
	Search  *rulemining.Search
}

// learned is the record of the learning of weights.
type learned struct {
	Digest uint64
	// Rounds of the search, and settings, that the weights belong to.
	Rounds  int
	Options ruleweights.Options
	Seconds float64
	Models  map[int32]*learnedModel // of the relations that are learned
}

type learnedModel struct {
	Paths   []rulemining.PathRule
	Group   []int32
	Weights [2][]float64
	Ranks   evaluate.Ranking // of the answers to the relation's queries of valid.txt
	// Value and Gap are of the programs of the weights; zero for those of the noisy or.
	Value, Gap float64
}

// write writes a file of the run folder, of which there is always a whole one.
func (r *run) write(name string, f func(w *bufio.Writer) error) error {
	path := filepath.Join(r.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return cli.Usage("-out: %v", err)
	}
	return cli.WriteFile(path, f)
}

// save writes a record and its checksum.
func (r *run) save(name string, v any) error {
	return r.write(name, func(w *bufio.Writer) error {
		sum := crc32.NewIEEE()
		if err := gob.NewEncoder(io.MultiWriter(w, sum)).Encode(v); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
}

// load reads a record.
func (r *run) load(name string, v any) error {
	path := filepath.Join(r.out, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := max(0, len(text)-crc32.Size)
	if sum := crc32.ChecksumIEEE(text[:end]); !bytes.Equal(text[end:], binary.BigEndian.AppendUint32(nil, sum)) {
		return dataError("%s: the record is damaged", path)
	}
	if err := gob.NewDecoder(bytes.NewReader(text[:end])).Decode(v); err != nil {
		return dataError("%s: the record is of another version of this program: %w", path, err)
	}
	return nil
}

// open begins a run or, with -resume and for -explain, reads its records.
func (r *run) open() (err error) {
	asked := r.graph
	if len(r.links.extra) > 0 {
		asked = r.links.graph(r.links.train)
	}
	fresh, err := rulemining.NewSearch(r.graph, asked, rulemining.Settings{Seed: r.seed, Length: r.length})
	if err != nil {
		return err
	}
	digest := r.links.digest.Sum64()
	r.learned = &learned{}
	err = r.load(searchFile, &r.found)
	old := r.resume || r.explained != ""
	switch {
	case errors.Is(err, fs.ErrNotExist) && old:
		return cli.Usage("-out: there is no run in %s: %v", r.out, err)
	case errors.Is(err, fs.ErrNotExist):
		r.found = found{Digest: digest, Search: fresh}
		return nil
	case err != nil:
		return err
	case !old:
		return cli.Usage("-out %s has a run already; -resume goes on with it", r.out)
	case r.found.Digest != digest || r.found.Search.Settings != fresh.Settings:
		return cli.Usage("-out: the run in %s is of other facts, or of another -seed or -length; give the same, or another -out", r.out)
	}
	r.found.Search.Resume(r.graph, asked)
	if err := r.load(weightsFile, r.learned); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
