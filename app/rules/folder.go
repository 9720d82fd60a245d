package rules

import (
	"cmp"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"hinge/app/cli"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/symbolic/rulemining"
	"hinge/train/learning"
)

// links are facts: those to find rules in, and those that are held out.
type links struct {
	names rulemining.Names
	// extra are facts that rules may use and that nobody asks for.
	train, valid, test, extra []rulemining.Triple
	// digest identifies the data.
	digest hash.Hash64

	entity, relation map[string]int32
}

// read reads the facts that -data names: a folder or a model file.
func read(path string) (*links, error) {
	l := &links{entity: map[string]int32{}, relation: map[string]int32{}, digest: fnv.New64a()}
	fmt.Fprintln(l.digest, recordVersion)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		err = cli.Usage("-data: %v", err)
	case info.IsDir():
		err = l.readFolder(path)
	default:
		err = l.readModel(path)
	}
	return l, err
}

// readFolder reads train.txt, valid.txt and test.txt, and facts.txt if there is one.
func (l *links) readFolder(dir string) (err error) {
	names := [4]string{"train.txt", "valid.txt", "test.txt", "facts.txt"}
	for i, to := range [4]*[]rulemining.Triple{&l.train, &l.valid, &l.test, &l.extra} {
		path := filepath.Join(dir, names[i])
		fmt.Fprintln(l.digest, names[i])
		*to, err = l.readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && to == &l.extra:
			return nil
		case errors.Is(err, fs.ErrNotExist):
			return dataError("%w; the folder has to have train.txt, valid.txt and test.txt", err)
		case err != nil:
			return err
		case len(*to) == 0:
			return dataError("%s has no facts; each line is head, relation and tail with tabs between", path)
		}
	}
	return nil
}

// warnOfRepeats tells how many held-out facts are also those that rules use or weights are learned from, so that they measure
// nothing.
func (r *run) warnOfRepeats() {
	from := map[rulemining.Triple]string{}
	for _, t := range r.links.extra {
		from[t] = "facts.txt"
	}
	for _, t := range r.links.train {
		from[t] = "train.txt"
	}
	for i, list := range [][]rulemining.Triple{r.links.valid, r.links.test} {
		n, name := map[string]int{}, [2]string{"valid.txt", "test.txt"}[i]
		for _, t := range list {
			n[from[t]]++
			from[t] = cmp.Or(from[t], name)
		}
		for _, other := range [3]string{"train.txt", "facts.txt", "valid.txt"} {
			if n[other] > 0 {
				r.show.Note(fmt.Sprintf("rules: warning: %d of %d facts of %s are in %s too: ranks of them say nothing about facts that are not known", n[other], len(list), name, other))
			}
		}
	}
}

// readFile reads lines of head, relation and tail. Repeated facts count once.
func (l *links) readFile(path string) ([]rulemining.Triple, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []rulemining.Triple
	seen := map[rulemining.Triple]bool{}
	lines := facts.NewLines(path, f)
	var parts []string
	for {
		if err := lines.Next(); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		parts = lines.Fields(parts[:0], 3)
		if len(parts) != 3 || slices.Contains(parts, "") {
			return nil, lines.Fail(-1, fmt.Sprintf("the line has %s with tabs between, it has to have three that are not empty: head, relation, tail", psl.Count(len(parts), "field")))
		}
		if t := l.fact(parts[0], parts[1], parts[2]); !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
	}
}

// readModel takes the observations of the predicates with two arguments of a model file as facts. Atoms whose
// value is 1/2 or more count as true. A tenth of them, drawn at random, is held out for validation and
// a tenth for the test.
func (l *links) readModel(path string) error {
	m, err := model.Load(path, model.LoadOptions{WithoutRules: true})
	if err != nil {
		return err
	}
	var all []rulemining.Triple
	for _, p := range m.Predicates {
		if p.Arity != 2 || p.Network != nil {
			continue
		}
		for a := range m.Data.Atoms(p.Name) {
			if a.Kind == ground.Observed && a.Value >= 0.5 {
				all = append(all, l.fact(a.Args[0], p.Name, a.Args[1]))
			}
		}
	}
	if len(all) < 20 {
		return dataError("%s has %d observed atoms of predicates with two arguments; rules need at least 20 facts", path, len(all))
	}
	rand.New(rand.NewPCG(l.digest.Sum64(), 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tenth := len(all) / 10
	l.valid, l.test, l.train = all[:tenth], all[tenth:2*tenth], all[2*tenth:]
	return nil
}

// dataError is an error of bad or missing data.
func dataError(format string, args ...any) error {
	return &learning.DataError{Err: fmt.Errorf(format, args...)}
}

// fact numbers the names of a fact and adds it to the digest.
func (l *links) fact(head, relation, tail string) rulemining.Triple {
	fmt.Fprintf(l.digest, "%s\t%s\t%s\n", head, relation, tail)
	h := number(l.entity, &l.names.Entities, head)
	return rulemining.Triple{Head: h, Relation: number(l.relation, &l.names.Relations, relation), Tail: number(l.entity, &l.names.Entities, tail)}
}

func number(ids map[string]int32, names *[]string, text string) int32 {
	id, ok := ids[text]
	if !ok {
		id = int32(len(*names))
		ids[text] = id
		*names = append(*names, text)
	}
	return id
}

// graph indexes facts.
func (l *links) graph(lists ...[]rulemining.Triple) *rulemining.Graph {
	return rulemining.NewGraph(len(l.names.Entities), len(l.names.Relations), slices.Concat(lists...))
}
