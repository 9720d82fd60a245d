package model

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// sections are the keys of a predicate's data.
var sections = []struct {
	key     string
	section ground.Section
}{
	{"observations", ground.Observations},
	{"targets", ground.Targets},
	{"truth", ground.Truths},
}

// readData loads the data of a predicate for the chosen partition.
func (l *loader) readData(p *Predicate, n *node) {
	for _, s := range sections {
		part := n.get(s.key)
		if part == nil {
			continue
		}
		if s.section == ground.Targets && (p.Network != nil || p.OwnOutputs) {
			s.section = ground.DeepAtoms
		}
		lists := []*node{part}
		switch part.kind {
		case listNode:
		case objectNode:
			l.only(part, s.key, append([]string{all}, partitions...)...)
			lists = []*node{part.get(all), part.get(string(l.opts.Partition))}
		default:
			panic(l.errorf(part, "%s of %s is %s, want a list or an object of lists by partition", s.key, p.Name, part.kind))
		}
		var rest *node // of the partition's own list, else of all
		for _, list := range lists {
			if list == nil {
				continue
			}
			l.expect(list, listNode, s.key+" of "+p.Name)
			given := rest
			for i := range list.items {
				element := &list.items[i]
				if v := element.get("rest"); v != nil && s.section == ground.Truths {
					if rest != given || len(element.keys) > 1 {
						panic(l.errorf(element, `"rest" stands alone, once in a list: it is the truth of all targets that have none`))
					}
					rest = v
					continue
				}
				l.readElement(p, s.section, element)
			}
		}
		if rest != nil {
			l.readRest(p, rest)
		}
	}
}

// readRest gives the targets and the network's atoms of a predicate that have no truth one.
func (l *loader) readRest(p *Predicate, n *node) {
	value, err := parseNumber(n.text)
	if n.kind != numberNode || err != nil || !(value >= 0 && value <= 1) {
		panic(l.errorf(n, "the truth of the rest is %s, want a number in [0, 1]", facts.Show(n.text)))
	}
	for a := range l.m.Data.Atoms(p.Name) {
		if _, known := l.m.Data.TruthOf(p.Name, a.Args...); known || a.Kind == ground.Observed {
			continue
		}
		if err := l.m.Data.Add(ground.Truths, p.Name, value, a.Args...); err != nil {
			panic(l.errorf(n, "%v", err))
		}
	}
}

// readElement loads one data file, one row, or the rows of a source.
func (l *loader) readElement(p *Predicate, section ground.Section, n *node) {
	switch n.kind {
	case textNode:
		path, err := l.locate(n)
		must(dataFault(err))
		l.readSource(p, section, n, &facts.Source{Format: "tsv", Path: path, NoHeader: true})
	case listNode:
		l.readRow(p, section, n)
	case objectNode:
		src, at := l.source(p, n)
		if len(src.Columns) > 0 && len(src.Columns) != p.Arity {
			panic(l.errorf(n.get("columns"), "%s for %s of %s", psl.Count(len(src.Columns), "column"), psl.Count(p.Arity, "argument"), p.Name))
		}
		if src.Format == "similar" && p.Arity != 2 {
			panic(l.errorf(at, "similar pairs are rows of two arguments, %s has %d", p.Name, p.Arity))
		}
		l.readSource(p, section, at, src)
	default:
		panic(l.errorf(n, `data of %s are %s, want the path of a file, a row as a list, or a source such as {"csv": "ratings.csv"}`, p.Name, n.kind))
	}
}

// readRow adds one row that is written in the model.
func (l *loader) readRow(p *Predicate, section ground.Section, n *node) {
	bad := func(at *node, format string, args ...any) { must(dataFault(l.errorf(at, format, args...))) }
	if len(n.items) != p.Arity && len(n.items) != p.Arity+1 {
		bad(n, "%s has %s, the row has %s", p.Name, psl.Count(p.Arity, "argument"), psl.Count(len(n.items), "field"))
	}
	args := make([]string, 0, p.Arity+1)
	for i := range n.items {
		item := &n.items[i]
		if !item.isScalar() {
			bad(item, wantScalar, "a field", item.kind)
		}
		text := strings.TrimSpace(item.text) // spaces around a field of a file are no part of it either
		if i < p.Arity {
			if text == "" {
				bad(item, "argument %d is empty", i+1)
			}
			if problem := checkConstant(p.Types[i], text); problem != "" {
				bad(item, "%s", problem)
			}
		}
		args = append(args, text)
	}
	value := 1.0
	if len(args) > p.Arity {
		text := args[p.Arity]
		v, err := parseNumber(text)
		if err != nil || !(v >= 0 && v <= 1) {
			bad(&n.items[p.Arity], "the value %s is not a number in [0, 1]", facts.Show(text))
		}
		value, args = v, args[:p.Arity]
	}
	if err := l.m.Data.Add(section, p.Name, value, args...); err != nil {
		bad(n, "%s", err)
	}
}

// locate finds the file that a path in the model means.
func (l *loader) locate(n *node) (string, error) {
	path := filepath.FromSlash(n.text)
	if filepath.IsAbs(path) || l.opts.Data == "" {
		return l.exists(n, l.beside(n))
	}
	parts := strings.Split(filepath.Clean(path), string(filepath.Separator))
	for i, part := range parts {
		if part == ".." || part == "." {
			continue
		}
		candidate := filepath.Join(append([]string{l.opts.Data}, parts[i:]...)...)
		if found, err := l.exists(n, candidate); err == nil {
			return found, nil
		}
	}
	return "", l.hint(n, "without -data, paths count from the model's folder", "the data file %s is not in %s", facts.Show(n.text), l.opts.Data)
}

// exists returns the path, with .gz added if only that exists.
func (l *loader) exists(n *node, path string) (string, error) {
	folder := ""
	for _, p := range []string{path, path + ".gz"} {
		info, err := os.Stat(p)
		switch {
		case err == nil && info.IsDir():
			folder = cmp.Or(folder, p)
		case err == nil:
			return p, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", l.errorf(n, "the data file cannot be read: %v", err)
		}
	}
	if folder != "" {
		return "", l.hint(n, "name its files in the model, each as an element of the list", "%s is a folder", folder)
	}
	return "", l.errorf(n, "there is no data file %s", path)
}

// beside is the path that a text means: one that is not absolute counts from the model's folder.
func (f *file) beside(n *node) string {
	path := filepath.FromSlash(n.text)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.name), path)
}

// size is the number of atoms and true values of a predicate.
func (m *Model) size(predicate string) int {
	for _, p := range m.Data.Predicates() {
		if p.Name == predicate {
			return p.Observations + p.Targets + p.Deep + p.Truths
		}
	}
	return 0
}
