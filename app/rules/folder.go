package rules

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"hinge/app/cli"
	"hinge/symbolic/rulemining"
	"hinge/train/learning"
)

// links are the facts of a folder: those to find rules in, and those that are held out.
type links struct {
	names rulemining.Names
	// extra are facts that rules may use and that nobody asks for.
	train, valid, test, extra []rulemining.Triple
	// digest identifies the data.
	digest uint64

	entity, relation map[string]int32
}

// maxLine is the longest line of a file of facts.
const maxLine = 1 << 16

// read reads the facts that -data names: a folder or a model file.
func read(path string) (*links, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, cli.Usage("-data: %v", err)
	case !info.IsDir():
		return readModel(path)
	}
	return readFolder(path)
}

// readFolder reads train.txt, valid.txt and test.txt, and facts.txt if there is one.
func readFolder(dir string) (*links, error) {
	l := &links{entity: map[string]int32{}, relation: map[string]int32{}}
	sum := fnv.New64a()
	for _, f := range []struct {
		name string
		to   *[]rulemining.Triple
		need bool
	}{{"train.txt", &l.train, true}, {"valid.txt", &l.valid, true}, {"test.txt", &l.test, true}, {"facts.txt", &l.extra, false}} {
		path := filepath.Join(dir, f.name)
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) && !f.need {
			continue
		}
		if err != nil {
			return nil, &learning.DataError{Err: fmt.Errorf("%w; the folder has to have train.txt, valid.txt and test.txt", err)}
		}
		sum.Write(text)
		if *f.to, err = l.read(path, text); err != nil {
			return nil, &learning.DataError{Err: err}
		}
		if f.need && len(*f.to) == 0 {
			return nil, &learning.DataError{Err: fmt.Errorf("%s has no facts; each line is head, relation and tail with tabs between", path)}
		}
	}
	l.digest = sum.Sum64()
	return l, nil
}

// read reads lines of head, relation and tail.
func (l *links) read(path string, text []byte) ([]rulemining.Triple, error) {
	var list []rulemining.Triple
	seen := map[rulemining.Triple]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line == "" {
			continue
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", path, n, fmt.Sprintf(format, args...))
		}
		if !utf8.ValidString(line) {
			return nil, fail("the line is not UTF-8 text")
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 {
			return nil, fail("the line has %d fields with tabs between, it has to have three: head, relation, tail", len(parts))
		}
		for i, p := range parts {
			if strings.TrimSpace(p) == "" {
				return nil, fail("field %d is empty", i+1)
			}
		}
		f := rulemining.Triple{
			Head:     intern(l.entity, &l.names.Entities, parts[0]),
			Relation: intern(l.relation, &l.names.Relations, parts[1]),
			Tail:     intern(l.entity, &l.names.Entities, parts[2]),
		}
		if !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return list, nil
}

func intern(ids map[string]int32, names *[]string, text string) int32 {
	id, ok := ids[text]
	if !ok {
		id = int32(len(*names))
		ids[text] = id
		*names = append(*names, text)
	}
	return id
}

// graph returns the facts that rules are found in.
func (l *links) graph() *rulemining.Graph {
	facts := append(append([]rulemining.Triple(nil), l.train...), l.extra...)
	return rulemining.NewGraph(len(l.names.Entities), len(l.names.Relations), facts)
}

// asked returns the facts that rules conclude: those of train.txt. g is the graph of all.
func (l *links) asked(g *rulemining.Graph) *rulemining.Graph {
	if len(l.extra) == 0 {
		return g
	}
	return rulemining.NewGraph(len(l.names.Entities), len(l.names.Relations), l.train)
}
