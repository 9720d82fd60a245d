package ground

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"hinge/symbolic/psl"
)

// MaxArity is the largest number of arguments of a predicate.
const MaxArity = 63

// Kind is the kind of an atom of the database.
type Kind uint8

const (
	// Observed atoms have a fixed value x_sy.
	Observed Kind = iota
	// Target atoms are the variables y of inference.
	Target
	// Deep atoms are neural outputs g.
	Deep
)

// Database holds predicates, their atoms and truth values. Names of
// predicates are matched without regard to case. The zero value is empty and
// ready for use; a predicate is declared (Predicate) before its atoms are added. It may be read by
// several goroutines at once, and written by one.
type Database struct {
	consts      interner
	preds       []*predicate
	byName      map[string]*predicate // upper case
	exact       map[string]*predicate // as declared
	targets     []atomRef
	deep        []atomRef
	tupleBuffer []int32
}

// atomRef is a row of a predicate.
type atomRef struct {
	pred *predicate
	row  int32
}

// predicate is a table of atoms. Each row has a code: the column of a target,
// observedCode, or for a deep atom deepCode less its column.
type predicate struct {
	table
	name   string
	types  []Type // nil: all untyped
	code   []int32
	value  []float64
	counts [3]int

	truth      table
	truthValue []float64
}

const (
	observedCode = -1
	deepCode     = -2
)

// open reports whether the predicate has atoms that are not observed. A closed
// predicate is false wherever it is not in the data.
func (p *predicate) open() bool { return p.counts[Target]+p.counts[Deep] > 0 }

// NewDatabase returns an empty database.
func NewDatabase() *Database { return &Database{} }

// Predicate declares a predicate. Declaring it again with the same arity does
// nothing.
func (db *Database) Predicate(name string, arity int) error {
	if p := db.lookup(name); p != nil {
		if p.arity != arity {
			return fmt.Errorf("predicate %s is declared with %d and with %s", name, p.arity, psl.Count(arity, "argument"))
		}
		return nil
	}
	switch {
	case name == "":
		return errors.New("a predicate without a name")
	case arity < 1 || arity > MaxArity:
		return fmt.Errorf("predicate %s has %s, possible are 1 to %d", name, psl.Count(arity, "argument"), MaxArity)
	}
	if db.byName == nil {
		db.byName, db.exact = map[string]*predicate{}, map[string]*predicate{}
	}
	p := &predicate{name: name}
	p.arity, p.truth.arity = arity, arity
	db.preds = append(db.preds, p)
	db.byName[strings.ToUpper(name)] = p
	db.exact[name] = p
	return nil
}

// Empty returns a database without atoms that has the predicates of this one, with their types.
func (db *Database) Empty() *Database {
	e := NewDatabase()
	for _, p := range db.preds {
		if err := e.Predicate(p.name, p.arity); err != nil {
			panic(err) // db has it
		}
		e.lookup(p.name).types = p.types
	}
	return e
}

// lookup finds a predicate by name, or nil.
func (db *Database) lookup(name string) *predicate {
	if p := db.exact[name]; p != nil {
		return p
	}
	return db.byName[strings.ToUpper(name)]
}

// tuple finds the predicate and turns the arguments into numbers; if intern is true it makes
// new numbers for new constants. A nil tuple means that some constant is unknown. The tuple is
// valid until the next call with intern true.
func (db *Database) tuple(pred string, args []string, intern bool) (*predicate, []int32, error) {
	p := db.lookup(pred)
	if p == nil {
		return nil, nil, fmt.Errorf("predicate %s is not declared", pred)
	}
	if len(args) != p.arity {
		return nil, nil, fmt.Errorf("predicate %s has %s, got %d", p.name, psl.Count(p.arity, "argument"), len(args))
	}
	if !intern {
		t := make([]int32, len(args))
		for i, a := range args {
			a, _ := p.typeOf(i).canonical(a)
			id, ok := db.consts.ids[a]
			if !ok {
				return p, nil, nil
			}
			t[i] = id
		}
		return p, t, nil
	}
	if len(db.consts.names) > maxNumber || p.rows >= maxNumber || p.truth.rows >= maxNumber {
		return nil, nil, fmt.Errorf("predicate %s: the database is full: more than %d constants or atoms", p.name, maxNumber)
	}
	db.tupleBuffer = db.tupleBuffer[:0]
	for i, a := range args {
		c, ok := p.typeOf(i).canonical(a)
		if !ok {
			return nil, nil, fmt.Errorf("predicate %s: %s", p.name, p.types[i].problem(a))
		}
		db.tupleBuffer = append(db.tupleBuffer, db.consts.id(c))
	}
	return p, db.tupleBuffer, nil
}

// add inserts an atom; it reports a row that exists already.
func (db *Database) add(kind Kind, pred string, value float64, args []string) (p *predicate, row int32, added bool, err error) {
	p, tuple, err := db.tuple(pred, args, true)
	if err != nil {
		return nil, 0, false, err
	}
	row, added = p.insert(tuple)
	if added {
		code := int32(observedCode)
		switch kind {
		case Target:
			code = int32(len(db.targets))
			db.targets = append(db.targets, atomRef{p, row})
		case Deep:
			code = deepCode - int32(len(db.deep))
			db.deep = append(db.deep, atomRef{p, row})
		}
		p.code = append(p.code, code)
		p.value = append(p.value, value)
		p.counts[kind]++
		return p, row, true, nil
	}
	if have := kindOf(p.code[row]); have != kind {
		return p, row, false, fmt.Errorf("%s is given as %s and as %s", atomName(p.name, args), have, kind)
	}
	return p, row, false, nil
}

func kindOf(code int32) Kind {
	switch {
	case code >= 0:
		return Target
	case code == observedCode:
		return Observed
	}
	return Deep
}

// String returns "observation", "target" or "deep atom".
func (k Kind) String() string {
	if k > Deep {
		return fmt.Sprintf("no kind: %d", uint8(k))
	}
	return [...]string{"observation", "target", "deep atom"}[k]
}

func checkValue(value float64, pred string, args []string) error {
	if value >= 0 && value <= 1 {
		return nil
	}
	return fmt.Errorf("%s has the value %v, which is not in [0, 1]", atomName(pred, args), value)
}

// Observe adds an observed atom with a value in [0, 1]. Observing it again with the same value
// does nothing. Another value is an error, and so is an atom that is a target.
func (db *Database) Observe(pred string, value float64, args ...string) error {
	if err := checkValue(value, pred, args); err != nil {
		return err
	}
	p, row, added, err := db.add(Observed, pred, value, args)
	if err == nil && !added && p.value[row] != value {
		err = fmt.Errorf("%s is observed as %v and as %v", atomName(p.name, args), p.value[row], value)
	}
	return err
}

// Target adds a target atom and returns its column; columns count from 0 in
// the order of insertion. An atom that is a target already keeps its column.
func (db *Database) Target(pred string, args ...string) (int, error) {
	p, row, _, err := db.add(Target, pred, math.NaN(), args)
	if err != nil {
		return -1, err
	}
	return int(p.code[row]), nil
}

// Deep adds a neural output and returns its column; columns count from 0 in
// the order of insertion. An atom that is deep already keeps its column.
func (db *Database) Deep(pred string, args ...string) (int, error) {
	p, row, _, err := db.add(Deep, pred, math.NaN(), args)
	if err != nil {
		return -1, err
	}
	return int(deepCode - p.code[row]), nil
}

// Targets returns the number of target atoms, DeepAtoms the number of neural outputs.
func (db *Database) Targets() int { return len(db.targets) }

// DeepAtoms returns the number of neural outputs.
func (db *Database) DeepAtoms() int { return len(db.deep) }

// TargetIndex returns the column of a target; false if the atom is not one.
func (db *Database) TargetIndex(pred string, args ...string) (int, bool) {
	p, row := db.find(pred, args)
	if row < 0 || p.code[row] < 0 {
		return -1, false
	}
	return int(p.code[row]), true
}

// DeepIndex returns the column of a neural output; false if the atom is not
// one.
func (db *Database) DeepIndex(pred string, args ...string) (int, bool) {
	p, row := db.find(pred, args)
	if row < 0 || p.code[row] > deepCode {
		return -1, false
	}
	return int(deepCode - p.code[row]), true
}

// Observation returns the value of an observed atom; false if it is not in
// the data.
func (db *Database) Observation(pred string, args ...string) (float64, bool) {
	p, row := db.find(pred, args)
	if row < 0 || p.code[row] != observedCode {
		return 0, false
	}
	return p.value[row], true
}

// find returns the row of an atom, −1 if there is none.
func (db *Database) find(pred string, args []string) (p *predicate, row int32) {
	p, tuple, err := db.tuple(pred, args, false)
	if err != nil || tuple == nil {
		return nil, -1
	}
	return p, p.find(tuple)
}

// Priors returns for each target the mean of the observed values of its predicate, or
// otherwise if there are none.
func (db *Database) Priors(otherwise float64) []float64 {
	means := map[*predicate]float64{}
	for _, p := range db.preds {
		sum := 0.0
		for row, code := range p.code {
			if code == observedCode {
				sum += p.value[row]
			}
		}
		if means[p] = otherwise; p.counts[Observed] > 0 {
			means[p] = sum / float64(p.counts[Observed])
		}
	}
	y := make([]float64, len(db.targets))
	for i, t := range db.targets {
		y[i] = means[t.pred]
	}
	return y
}

// TargetAtom returns the predicate and the arguments of target column i.
func (db *Database) TargetAtom(i int) (pred string, args []string) {
	return db.atom(db.targets[i])
}

// TargetName returns the text of the atom of target column i.
func (db *Database) TargetName(i int) string { return db.names(db.targets, []int32{int32(i)})[0] }

// DeepAtom returns the predicate and the arguments of deep column i.
func (db *Database) DeepAtom(i int) (pred string, args []string) {
	return db.atom(db.deep[i])
}

func (db *Database) atom(r atomRef) (string, []string) {
	return r.pred.name, db.strings(r.pred.row(r.row))
}

func (db *Database) strings(tuple []int32) []string {
	args := make([]string, len(tuple))
	for i, id := range tuple {
		args[i] = db.consts.names[id]
	}
	return args
}

// Atom is one atom of a predicate.
type Atom struct {
	Args []string
	Kind Kind
	// Value is the value of an observed atom, Index the column of a target or deep atom.
	Value float64
	Index int
}

// Atoms yields the atoms of a predicate in the order of insertion, those of the given kinds or, without
// any, all; nothing for an unknown predicate.
func (db *Database) Atoms(pred string, kinds ...Kind) iter.Seq[Atom] {
	return func(yield func(Atom) bool) {
		p := db.lookup(pred)
		if p == nil {
			return
		}
		for row, code := range p.code {
			kind := kindOf(code)
			if len(kinds) > 0 && !slices.Contains(kinds, kind) {
				continue
			}
			a := Atom{Args: db.strings(p.row(int32(row))), Kind: kind}
			switch a.Kind {
			case Observed:
				a.Value = p.value[row]
			case Target:
				a.Index = int(code)
			case Deep:
				a.Index = int(deepCode - code)
			}
			if !yield(a) {
				return
			}
		}
	}
}

// PredicateInfo describes a declared predicate.
type PredicateInfo struct {
	Name  string
	Arity int
	// Observations, Targets, Deep and Truths count the atoms of each kind and
	// the truth values. A predicate with neither targets nor deep atoms is
	// closed: atoms that are not in the data are false.
	Observations, Targets, Deep, Truths int
}

// Predicates lists the predicates in the order of their declaration.
func (db *Database) Predicates() []PredicateInfo {
	list := make([]PredicateInfo, len(db.preds))
	for i, p := range db.preds {
		list[i] = PredicateInfo{p.name, p.arity, p.counts[Observed], p.counts[Target], p.counts[Deep], p.truth.rows}
	}
	return list
}

// atomName prints Predicate(a,b).
func atomName(pred string, args []string) string {
	return pred + "(" + strings.Join(args, ",") + ")"
}

// Digest writes all that the database holds, in its order.
func (db *Database) Digest(to io.Writer) {
	w := bufio.NewWriterSize(to, 1<<16)
	defer w.Flush() //nolint:errcheck // sums do not fail
	for _, name := range db.consts.names {
		_, _ = w.WriteString(name)
		_ = w.WriteByte(0)
	}
	for _, p := range db.preds {
		fmt.Fprintf(w, "%q %d %v %d %d\n", p.name, p.arity, p.types, p.rows, p.truth.rows)
		for _, x := range [][]int32{p.args, p.code, p.truth.args} {
			for part := range slices.Chunk(x, 1<<12) {
				_ = binary.Write(w, binary.LittleEndian, part)
			}
		}
		for _, x := range [][]float64{p.value, p.truthValue} {
			for part := range slices.Chunk(x, 1<<12) {
				_ = binary.Write(w, binary.LittleEndian, part)
			}
		}
	}
}
