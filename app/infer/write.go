package infer

import (
	"bufio"
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
)

// write writes files and prints the summary.
func (c *command) write(r *report) error {
	c.Stop.Write()
	c.Progress.Close()
	if err := errors.Join(r.writeValues(), r.writeGroundRules(c.GroundRules)); err != nil {
		return err
	}
	if c.JSON {
		return r.writeJSON(c)
	}
	return r.writeSummary(c)
}

// writeValues writes a file for each predicate with targets or neural atoms, or one file or
// table of all. A file is complete or not there.
func (r *report) writeValues() error {
	if r.Table != nil {
		return r.writeTable(r.Table, r.Arity(), r.Data.Predicates()...)
	}
	if r.Out == "" {
		return nil
	}
	for _, p := range r.Data.Predicates() {
		if !r.printed(&p) {
			continue
		}
		path := r.ResultFile(p.Name)
		if strings.HasSuffix(path, ".csv") {
			d, err := facts.ParseDestination(path)
			if err == nil {
				err = r.writeTable(d, p.Arity, p)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := facts.WriteFile(path, func(w *bufio.Writer) error { return r.values(w, p.Name) }); err != nil {
			return cli.Usage("-out: %v", err)
		}
	}
	return nil
}

// writeTable writes the atoms of predicates to one file or table, which is complete or as it was.
func (r *report) writeTable(d *facts.Destination, arity int, predicates ...ground.PredicateInfo) error {
	w, err := d.Create(context.Background(), arity)
	if err != nil {
		return cli.Usage("-out: %v", err)
	}
	for _, p := range predicates {
		for a := range r.results(p.Name) {
			if err := w.Write(&facts.Atom{Predicate: p.Name, Args: a.Args, Value: a.Value}); err != nil {
				w.Abort()
				return cli.Usage("-out: %v", err)
			}
		}
	}
	if err := w.Commit(); err != nil {
		return cli.Usage("-out: %v", err)
	}
	return nil
}

// values writes the atoms of a predicate in the order of the data.
func (r *report) values(w *bufio.Writer, predicate string) error {
	var line []byte
	for a := range r.results(predicate) {
		line = line[:0]
		for _, arg := range a.Args {
			line = append(append(line, arg...), '\t')
		}
		line = append(strconv.AppendFloat(line, a.Value, 'g', -1, 64), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// results yields the targets of a predicate with their inferred values, to six decimals, and its neural atoms
// with the outputs of networks, in the order of the data, and the observed atoms if the
// model asks for them.
func (r *report) results(predicate string) iter.Seq[ground.Atom] {
	return func(yield func(ground.Atom) bool) {
		for a := range r.Data.Atoms(predicate) {
			switch {
			case a.Kind == ground.Target:
				a.Value = evaluate.Value(r.Y[a.Index])
			case a.Kind == ground.Deep:
				a.Value = r.Outputs[a.Index]
			case !r.Options.AllAtoms:
				continue
			}
			if !yield(a) {
				return
			}
		}
	}
}

// printed reports whether a predicate has results.
func (r *report) printed(p *ground.PredicateInfo) bool {
	return p.Targets+p.Deep > 0 || r.Options.AllAtoms && p.Observations > 0
}
