package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// Partition is one of the three sets of data a model may have.
type Partition string

// The partitions.
const (
	Infer      Partition = "infer"
	Learn      Partition = "learn"
	Validation Partition = "validation"
)

// all is the key for data of every partition.
const all = "all"

var partitions = []string{string(Learn), string(Validation), string(Infer)}

// LoadOptions select the parts of a model to load. The zero value loads the data for inference
// from the places that the model names.
type LoadOptions struct {
	// Partition to load; empty means Infer.
	Partition Partition
	// Data is a folder to look for data files in, instead of the places that
	// the model names; empty means those places.
	Data string
	// Set holds options as key=value that replace options of the file; warnings and errors call them -D key=value.
	Set []string
	// Reading, if not nil, is called with each data file before it is read.
	Reading func(path string)
	// OwnOutputs reports whether the caller has the values of all predicates with a network and
	// of all DeepPredicates: nothing of their descriptions is read.
	OwnOutputs bool
	// NoData reads no data: options, rules and predicates alone.
	NoData bool
	// WithoutRules takes a model without rules, too: the caller wants its data.
	WithoutRules bool
}

// Model is a loaded model: what to ground, to solve and to evaluate.
type Model struct {
	// File is the path of the model file.
	File string
	// Partition is the one that was loaded.
	Partition Partition
	// Rules are the common rules and then the partition's rules.
	Rules *psl.Program
	// Relaxed is the number of hard rules that inference.relax has given a weight.
	Relaxed int
	// Data holds observations, targets and truth of the partition. Targets
	// have columns in the order of the predicates and rows in the files.
	Data *ground.Database
	// Predicates are in the order of the file.
	Predicates []Predicate
	// Evaluations are in the order of the file; at most one is primary.
	Evaluations []Evaluation
	// Options are the options that have a meaning, Unused the names of options that change no
	// answer.
	Options Options
	Unused  []string
	// Warnings are the doubts about the file, its rules and its data.
	Warnings []Warning
	// Learns and Infers are the reference's decisions: it learns if data exist for the
	// partition learn alone, infers if data exist for infer or for neither, and runtime.learn
	// and runtime.inference override both.
	Learns, Infers bool
	// Validates reports whether there are data for the partition validation alone.
	Validates bool
	// Own is the number of the rules, at the end of Rules, of the partition alone.
	Own int
}

// Predicate is a declared predicate.
type Predicate struct {
	Name  string
	Arity int
	// Types are the types of the arguments: UniqueStringID, UniqueIntID, String, Integer, Long
	// or Double.
	Types []string
	// Integer reports whether the values of its targets have to be 0 or 1.
	Integer bool
	// Network describes the network whose outputs are the values of the targets,
	// nil for a predicate whose targets are inferred.
	Network *Network
	// OwnOutputs reports whether the values of its targets are the caller's, see LoadOptions.
	OwnOutputs bool
}

// Load reads a model file and the data of one partition.
func Load(path string, opts LoadOptions) (*Model, error) {
	opts.Partition = cmp.Or(opts.Partition, Infer)
	if !slices.Contains(partitions, string(opts.Partition)) {
		return nil, &Error{Msg: fmt.Sprintf("no partition %q", opts.Partition), Hint: suggest(string(opts.Partition), partitions)}
	}
	src, err := readLimited(path, MaxJSON)
	if err != nil {
		e := &Error{Msg: err.Error()}
		if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
			e.Hint = "a path counts from the present folder, also that of a run which was made in another one: give the whole path"
		}
		return nil, e
	}
	return parse(path, src, opts)
}

// readLimited reads a file of at most limit bytes.
func readLimited(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(src)) > limit {
		err = fmt.Errorf("%s: the file has more than %d MiB", path, limit>>20)
	}
	return src, err
}

// parse is Load for a model file that is in memory.
func parse(path string, src []byte, opts LoadOptions) (m *Model, err error) {
	defer caught(&err)
	read, ext := parseJSON, strings.ToLower(filepath.Ext(path))
	if ext == ".yaml" || ext == ".yml" {
		read = parseYAML
	}
	root, err := read(path, src)
	if err != nil {
		if at, ok := errors.AsType[*Error](err); ok {
			switch ext {
			case ".psl", ".data":
				at.Hint = `rules and data of the reference before version 2.4 go into one file of JSON or YAML: {"rules": "RULES.psl", "predicates": {"P/2": {"observations": ["P.txt"]}}}`
			case ".json", ".yaml", ".yml":
			default:
				at.Hint = "a model file is JSON, or YAML where its name ends in .yaml or .yml"
			}
		}
		return nil, err
	}
	l := &loader{file: file{path}, opts: opts, m: &Model{
		File: path, Partition: opts.Partition, Rules: &psl.Program{},
		Data: ground.NewDatabase(),
	}}
	l.load(root)
	return l.m, nil
}

// loader builds a model from the nodes of its file.
type loader struct {
	file
	opts LoadOptions
	m    *Model
	// options are the given options, the partition's before the common ones, in the order of
	// the file.
	options []option
	primary *node
}

// load goes through the model file: options first, since they decide the types
// of arguments and the settings of evaluators.
func (l *loader) load(root *node) {
	l.expect(root, objectNode, "the model")
	l.only(root, "a model", "rules", "predicates", "options", "learn", "validation", "infer")
	parts := []*node{root}
	for _, p := range partitions {
		part := l.child(root, p, objectNode)
		if part == nil {
			continue
		}
		l.only(part, p, "rules", "options")
		if p == string(l.opts.Partition) {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		l.options = l.appendOptions(l.options, part.get("options"))
	}
	for _, s := range l.opts.Set {
		name, value, _ := strings.Cut(s, "=")
		l.options = put(l.options, option{name: strings.TrimSpace(name), value: strings.TrimSpace(value), node: &node{text: "-D " + s}})
	}
	l.resolveOptions()
	common := 0
	for i, part := range parts {
		l.readRules(part.get("rules"))
		l.m.warnAll(l.m.Rules.Distinct())
		if i == 0 {
			common = len(l.m.Rules.Rules)
		}
	}
	l.m.Own = len(l.m.Rules.Rules) - common
	if len(l.m.Rules.Rules) == 0 && !l.opts.WithoutRules {
		panic(l.errorf(root, "the model has no rules"))
	}
	l.m.warnAll(l.m.Rules.Warnings)
	l.m.warnAll(l.m.Rules.Repeated())
	l.m.adjustWeights()
	predicates := l.child(root, "predicates", objectNode)
	if predicates == nil {
		panic(l.errorf(root, "the model has no predicates"))
	}
	// All are declared before data are read: cheap mistakes show first.
	for i := range predicates.keys {
		l.declare(&predicates.keys[i], &predicates.items[i])
	}
	l.m.decide(predicates)
	if l.opts.NoData {
		return
	}
	for i := range predicates.keys {
		p := &l.m.Predicates[i]
		l.readData(p, &predicates.items[i])
		if p.Network != nil {
			l.checkClasses(p)
		}
	}
	l.doubts(predicates)
}

// Networks reports whether a predicate has a network.
func (m *Model) Networks() bool {
	return slices.ContainsFunc(m.Predicates, func(p Predicate) bool { return p.Network != nil })
}

// decide fills Learns, Infers and Validates.
func (m *Model) decide(predicates *node) {
	for i := range predicates.items {
		for _, s := range sections {
			part := predicates.items[i].get(s.key)
			if part == nil || part.kind != objectNode {
				continue
			}
			has := func(p Partition) bool {
				n := part.get(string(p))
				return n != nil && len(n.items) > 0
			}
			m.Learns = m.Learns || has(Learn)
			m.Infers = m.Infers || has(Infer)
			m.Validates = m.Validates || has(Validation)
		}
	}
	o := &m.Options
	if o.Learn == nil && o.Infer == nil && !m.Learns {
		m.Infers = true
	}
	if o.Learn != nil {
		m.Learns = *o.Learn
	}
	if o.Infer != nil {
		m.Infers = *o.Infer
	}
}
