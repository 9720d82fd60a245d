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
	"hinge/symbolic/facts"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// The files of a run folder.
const (
	recordFile = "run.gob"
	resultFile = "result.json"
	// recordVersion changes when weights of records mean something else.
	recordVersion = 5
)

// record is what -resume goes on from.
type record struct {
	// Digest identifies the facts.
	Digest uint64
	Search *rulemining.Search
	// SearchS and LearnS are the seconds so far.
	SearchS, LearnS float64
	// Rounds of the search, and settings, that the weights belong to.
	Rounds  int
	Options ruleweights.Options
	Models  map[int32]*learnedModel // of the relations that are learned
}

type learnedModel struct {
	Paths   []rulemining.PathRule
	Group   []int32
	Weights [2][]float64
	Ranks   evaluate.Ranking // of the answers to the relation's queries of valid.txt
	// Value and Gap are of the programs of the weights; zero for those of a noisy or.
	Value, Gap float64
}

// write writes a file of the run folder, of which there is always a whole one.
func (r *run) write(name string, f func(w *bufio.Writer) error) error {
	path := filepath.Join(r.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return cli.Usage("-out: %v", err)
	}
	return facts.WriteFile(path, f)
}

// save writes the record and its checksum.
func (r *run) save() error {
	return r.write(recordFile, func(w *bufio.Writer) error {
		sum := crc32.NewIEEE()
		if err := gob.NewEncoder(io.MultiWriter(w, sum)).Encode(r.record); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
}

// open begins a run or, with -resume and for -explain, reads its record.
func (r *run) open() error {
	asked := r.graph
	if len(r.links.extra) > 0 {
		asked = r.links.graph(r.links.train)
	}
	fresh, err := rulemining.NewSearch(r.graph, asked, rulemining.Settings{Seed: r.seed, Length: r.length})
	if err != nil {
		return err
	}
	path, old := filepath.Join(r.out, recordFile), r.resume || r.explained != ""
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && old:
		return cli.Usage("-out: there is no run in %s: %v", r.out, err)
	case errors.Is(err, fs.ErrNotExist):
		for _, name := range []string{"model.json", "rules.psl", resultFile} {
			if _, err := os.Stat(filepath.Join(r.out, name)); err == nil {
				return cli.Usage("-out: %s has a %s of something else, which this run would write over: choose another folder", r.out, name)
			}
		}
		r.record = record{Digest: r.links.digest.Sum64(), Search: fresh}
		return nil
	case err != nil:
		return err
	case !old:
		return cli.Usage("-out %s has a run already; -resume goes on with it", r.out)
	}
	end := max(0, len(text)-crc32.Size)
	if sum := crc32.ChecksumIEEE(text[:end]); !bytes.Equal(text[end:], binary.BigEndian.AppendUint32(nil, sum)) {
		return dataError("%s: the record is damaged", path)
	}
	if err := gob.NewDecoder(bytes.NewReader(text[:end])).Decode(&r.record); err != nil {
		return dataError("%s: the record is of another version of this program: %w", path, err)
	}
	if r.record.Digest != r.links.digest.Sum64() || r.record.Search.Settings != fresh.Settings {
		return cli.Usage("-out: the run in %s is of other facts, of another -seed or -length, or of another version of this program; give the same, or another -out", r.out)
	}
	r.record.Search.Resume(r.graph, asked)
	return nil
}
