package rules

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hinge/app/cli"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// The files of a run folder.
const (
	searchFile  = "search.gob"
	weightsFile = "weights.gob"
	resultFile  = "result.json"
)

// learned is the record of the learning of weights.
type learned struct {
	Digest uint64
	// Rounds of the search, and settings, that the weights belong to.
	Rounds  int
	Weights string
	Options ruleweights.Options
	Seconds float64
	Models  map[int32]*learnedModel // of the relations that are learned
}

type learnedModel struct {
	Paths   []rulemining.PathRule
	Group   []int32
	Weights [2][]float64
	Ranks   []float64             // of the answers to the relation's queries of valid.txt, if weights were learned
	Report  [2]ruleweights.Report // of the weights for queries of each side; zero where they are those of the noisy or
}

// write writes a file of the run folder beside its place and renames it, so that there is always a whole one.
func (r *run) write(name string, f func(w io.Writer) error) error {
	path := filepath.Join(r.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return cli.Usage("-out: %v", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return cli.Usage("-out: %v", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // without effect after the rename
	b := bufio.NewWriterSize(tmp, 1<<20)
	err = errors.Join(f(b), b.Flush(), tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// open begins a run or, with -resume, reads its records.
func (r *run) open() error {
	_, err := os.Stat(filepath.Join(r.out, searchFile))
	switch {
	case err == nil && !r.resume:
		return cli.Usage("-out %s has a run already; -resume goes on with it", r.out)
	case err != nil && r.resume:
		return cli.Usage("-resume: there is no run in %s: %v", r.out, err)
	case err != nil:
		r.search, err = rulemining.NewSearch(r.graph, r.links.asked(r.graph), r.settings())
		return err
	}
	if err := r.loadSearch(); err != nil {
		return err
	}
	return r.loadWeights()
}

// loadSearch reads the record of the search.
func (r *run) loadSearch() error {
	path := filepath.Join(r.out, searchFile)
	f, err := os.Open(path)
	if err != nil {
		return cli.Usage("-out: %v", err)
	}
	defer f.Close()
	var spent float64
	in := bufio.NewReaderSize(f, 1<<20)
	if _, err := fmt.Fscanf(in, "%g\n", &spent); err != nil {
		return dataError("%s: the record of the search is damaged: %w", path, err)
	}
	r.spent = spent
	r.search, err = rulemining.Load(in, r.graph, r.links.asked(r.graph), r.settings(), r.links.digest)
	switch {
	case errors.Is(err, rulemining.ErrOther):
		return cli.Usage("%s is of other facts, or of another -seed or -length; give the same, or another -out", path)
	case err != nil:
		return dataError("%s: %w", path, err)
	}
	return nil
}

func (r *run) saveSearch() error {
	return r.write(searchFile, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "%g\n", r.spent); err != nil {
			return err
		}
		return r.search.Save(w, r.links.digest)
	})
}

// loadWeights reads the weights learned so far, if they belong to the search as it is.
func (r *run) loadWeights() error {
	path := filepath.Join(r.out, weightsFile)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cli.Usage("-out: %v", err)
	}
	defer f.Close()
	var l learned
	if err := gob.NewDecoder(bufio.NewReader(f)).Decode(&l); err != nil {
		return dataError("%s: the record of the weights is damaged: %w", path, err)
	}
	if l.Digest == r.links.digest {
		r.learned = &l
	}
	return nil
}

func (r *run) saveWeights() error {
	return r.write(weightsFile, func(w io.Writer) error { return gob.NewEncoder(w).Encode(r.learned) })
}
