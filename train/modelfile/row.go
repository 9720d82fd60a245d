package modelfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// Row is an example from outside the data: a row of an observed predicate of the partition infer,
// such as Pair(p, a, b), in place of all rows that the partition has. Arguments that are names, whose
// domain no rule and no other observed predicate knows, may be new; of others, such as classes,
// the partition says what is true. Targets and outputs of networks are those about the partition's
// first row, with the names of the new one. So the answer is that of cmd/infer for a model file with
// these rows, targets and features.
type Row struct {
	Predicate string
	Fields    []string
}

// A RowError is a fault of a Row.
type RowError struct {
	Number int // of the row, from 1
	Err    error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Number, e.Err) }
func (e *RowError) Unwrap() error { return e.Err }

// Tables lists the predicates of which Predict takes rows, with the number of their arguments.
func (q *Predictor) Tables() (list []ground.PredicateInfo) {
	for _, t := range q.tables {
		if t.problem == "" {
			list = append(list, t.PredicateInfo)
		}
	}
	return list
}

// table finds the table of rows of a predicate, nil if it is none.
func (q *Predictor) table(predicate string) (*table, error) {
	for _, t := range q.tables {
		if !strings.EqualFold(t.Name, predicate) {
			continue
		}
		if t.problem != "" {
			return nil, fmt.Errorf("rows of %s cannot be answered one by one: %s; put them into a model file of their own and run cmd/infer -weights on it", t.Name, t.problem)
		}
		return t, nil
	}
	return nil, nil
}

func (q *Predictor) answer(p *Prediction, inputs []Input, rows []Row) error {
	db, err := q.database(rows)
	if err != nil {
		return err
	}
	g, err := q.outputsFor(p, db, inputs)
	if bad, ok := errors.AsType[*nameError](err); ok {
		at := slices.IndexFunc(rows, func(r Row) bool {
			return !slices.ContainsFunc(bad.fields, func(f string) bool { return !slices.Contains(r.Fields, f) })
		})
		err = &RowError{at + 1, err}
	}
	if err != nil {
		return err
	}
	program, err := ground.Ground(context.Background(), q.part.Rules, db, q.part.GroundOptions())
	if err != nil {
		return err
	}
	return q.conclude(p, program, g, nil)
}

// nameError is about names in a row.
type nameError struct {
	fields []string
	msg    string
}

func (e *nameError) Error() string { return e.msg }

// database is that of the partition, with rows in place of those it has.
func (q *Predictor) database(rows []Row) (db *ground.Database, err error) {
	var t *table
	for n, r := range rows {
		of, err := q.table(r.Predicate)
		switch {
		case err != nil:
		case of == nil:
			err = fmt.Errorf("%.40q is no predicate whose rows are examples", r.Predicate)
		case t != nil && t != of:
			err = fmt.Errorf("rows of %s and of %s; answer those of one predicate at a time", t.Name, of.Name)
		case len(r.Fields) != of.Arity:
			err = fmt.Errorf("%s, %s has %s", psl.Count(len(r.Fields), "field"), of.Name, psl.Count(of.Arity, "argument"))
		}
		if err != nil {
			return nil, &RowError{n + 1, err}
		}
		if t == nil {
			t = of
			if db, err = t.others(q.part.Data); err != nil {
				return nil, err
			}
		}
		if err := t.add(db, r.Fields); err != nil {
			return nil, &RowError{n + 1, err}
		}
	}
	return db, nil
}

// others returns a database with what is observed by other predicates.
func (t *table) others(old *ground.Database) (*ground.Database, error) {
	db := old.Empty()
	for _, info := range old.Predicates() {
		if info.Name == t.Name {
			continue
		}
		for a := range old.Atoms(info.Name, ground.Observed) {
			if err := db.Observe(info.Name, a.Value, a.Args...); err != nil {
				return nil, err
			}
		}
	}
	return db, nil
}

// add adds a row and the atoms about it.
func (t *table) add(db *ground.Database, fields []string) error {
	if slices.Contains(fields, "") {
		return errors.New("a field is empty")
	}
	err := db.Observe(t.Name, 1, fields...)
	for _, e := range t.about {
		args := slices.Clone(e.args)
		for j, i := range e.from {
			if i >= 0 {
				args[j] = fields[i]
			}
		}
		if err != nil {
			break
		}
		if e.target {
			_, err = db.Target(e.predicate, args...)
		} else {
			_, err = db.Deep(e.predicate, args...)
		}
	}
	return err
}

// outputsFor returns the neural outputs of a database, of the inputs given or, for entities that have
// none, of the features of the model.
func (q *Predictor) outputsFor(p *Prediction, db *ground.Database, inputs []Input) ([]float32, error) {
	type entity struct {
		network int
		fields  string
	}
	key := func(k int, fields []string) entity { return entity{k, strings.Join(fields, "\t")} }
	found, used := map[entity][]float32{}, map[entity]bool{}
	see := func(in *Input) error {
		out, at, y, err := q.look(in)
		if err != nil {
			return err
		}
		e := key(at.network, in.Entity)
		if found[e] != nil {
			return errTwice(out)
		}
		out.Known = true
		p.Inputs, found[e] = append(p.Inputs, *out), y
		return nil
	}
	for i := range inputs {
		if err := see(&inputs[i]); err != nil {
			return nil, &InputError{i + 1, err}
		}
	}
	g := make([]float32, db.DeepAtoms())
	for c := range g {
		predicate, args := db.DeepAtom(c)
		k, h := q.head(predicate)
		n, fields := q.m.networks[k], h.entity(args)
		if h.Class >= 0 && !slices.Contains(h.Classes, args[h.Class]) {
			return nil, &nameError{args[h.Class : h.Class+1], fmt.Sprintf("%q is no class of %s; there are %s", args[h.Class], predicate, strings.Join(h.Classes, ", "))}
		}
		e := key(k, fields)
		if found[e] == nil {
			own, err := q.features(n, fields)
			if err == nil {
				err = see(own)
			}
			if err != nil {
				return nil, err
			}
		}
		used[e], g[c] = true, found[e][h.output(args)]
	}
	for i := range inputs {
		if k, _ := q.network(inputs[i].Network); !used[key(k, inputs[i].Entity)] {
			return nil, &InputError{i + 1, fmt.Errorf("the network of %s has an input %q, which is in no row", inputs[i].Network, strings.Join(inputs[i].Entity, ", "))}
		}
	}
	return g, nil
}

// features is the input for an entity from the features of the model, or else what find finds.
func (q *Predictor) features(n *network[float32], fields []string) (*Input, error) {
	if row, ok := n.table.Find(fields...); ok {
		in := &Input{n.name, fields, make([]float32, n.table.Width())}
		n.table.Row(in.Features, row)
		return in, nil
	}
	if q.find != nil && len(fields) == 1 && n.seesPictures() {
		if in, err := q.find(n, fields[0]); in != nil || err != nil {
			return in, err
		}
	}
	return nil, &nameError{fields, fmt.Sprintf("%s has no features: give an input of this name for the network of %s", strings.Join(fields, ", "), n.name)}
}

// head finds the network and the head of a neural predicate.
func (q *Predictor) head(predicate string) (network int, h *head) {
	for k, n := range q.m.networks {
		for i := range n.heads {
			if strings.EqualFold(n.heads[i].predicate, predicate) {
				return k, &n.heads[i]
			}
		}
	}
	panic("modelfile: a neural predicate without a network") // see would have failed
}
