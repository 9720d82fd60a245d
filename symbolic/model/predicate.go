package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
)

// types maps the reference system's types of arguments to those of package ground.
var types = map[string]ground.Type{
	"UniqueStringID": ground.Text, "UniqueIntID": ground.Integer, "String": ground.Text,
	"Integer": ground.Integer, "Long": ground.Integer, "Double": ground.Real,
}

// checkConstant returns the fault of a constant of a type, or "".
func checkConstant(typ, constant string) string {
	kind := ""
	switch types[typ] {
	case ground.Integer:
		if _, err := strconv.ParseInt(constant, 10, 64); err != nil {
			kind = "an integer"
		}
	case ground.Real:
		if _, err := strconv.ParseFloat(constant, 64); err != nil {
			kind = "a number"
		}
	}
	if kind == "" {
		return ""
	}
	return facts.Show(constant) + " is not " + kind + ", but the argument has the type " + typ
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// nameLetters are the characters of predicate names; names become file names.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

// declare adds a predicate from its key and its object.
func (l *loader) declare(key, n *node) error {
	if err := l.expect(n, objectNode, "the predicate "+key.text); err != nil {
		return err
	}
	if err := l.only(n, "a predicate", "name", "arity", "types", "type", "function", "network", "force-open", "options",
		"observations", "targets", "truth", "evaluations"); err != nil {
		return err
	}
	p := Predicate{Name: key.text, Arity: -1}
	if name, arity, ok := strings.Cut(key.text, "/"); ok {
		v, err := strconv.Atoi(arity)
		if err != nil {
			return l.errorf(key, "%s is not Name/arity", facts.Show(key.text))
		}
		p.Name, p.Arity = name, v
	}
	if p.Name == "" || strings.Trim(p.Name, nameLetters) != "" || p.Name[0] >= '0' && p.Name[0] <= '9' {
		return l.errorf(key, "%s is no name for a predicate: letters, digits, _ and $ make one", facts.Show(p.Name))
	}
	for _, other := range l.m.Predicates {
		if strings.EqualFold(other.Name, p.Name) {
			return l.errorf(key, "the predicate %s is declared twice", p.Name)
		}
	}
	if err := l.signature(&p, key, n); err != nil {
		return err
	}
	if err := l.origin(&p, n); err != nil {
		return err
	}
	err := l.m.Data.Predicate(p.Name, p.Arity)
	if err == nil {
		all := make([]ground.Type, p.Arity)
		for i, t := range p.Types {
			all[i] = types[t]
		}
		err = l.m.Data.SetTypes(p.Name, all...)
	}
	if err != nil {
		return l.errorf(key, "%v", err)
	}
	l.m.Predicates = append(l.m.Predicates, p)
	return l.readEvaluations(&p, n)
}

// signature reads arity and types, which must agree.
func (l *loader) signature(p *Predicate, key, n *node) error {
	agree := func(n *node, arity int, what string) error {
		if p.Arity >= 0 && p.Arity != arity {
			return l.errorf(n, "%s has %d arguments by its name or arity, %d by its %s", p.Name, p.Arity, arity, what)
		}
		p.Arity = arity
		return nil
	}
	if a := n.get("arity"); a != nil {
		text, err := l.scalar(a, "arity")
		if err != nil {
			return err
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return l.errorf(a, "the arity %s is not an integer", facts.Show(text))
		}
		if err := agree(a, v, "arity"); err != nil {
			return err
		}
	}
	if t := n.get("types"); t != nil && len(t.items) > 0 {
		if err := l.expect(t, listNode, "types"); err != nil {
			return err
		}
		for i := range t.items {
			text, err := l.scalar(&t.items[i], "a type")
			if err != nil {
				return err
			}
			if _, known := types[text]; !known {
				return l.hint(&t.items[i], suggest(text, sortedKeys(types)), "there is no type %s", facts.Show(text))
			}
			p.Types = append(p.Types, text)
		}
		if err := agree(t, len(p.Types), "types"); err != nil {
			return err
		}
	}
	if p.Arity < 1 || p.Arity > ground.MaxArity {
		if p.Arity == -1 {
			return l.hint(key, "write "+p.Name+"/2 for two arguments", "the arity of %s is missing", p.Name)
		}
		return l.errorf(key, "%s has %d arguments, possible are 1 to %d", p.Name, p.Arity, ground.MaxArity)
	}
	if p.Types == nil {
		byDefault := "UniqueStringID"
		if l.m.Options.IntIDs {
			byDefault = "UniqueIntID"
		}
		p.Types = slices.Repeat([]string{byDefault}, p.Arity)
	}
	return nil
}

// origin reads where the values of a predicate come from: data, or a network. Those
// that come from Java or Python are errors.
func (l *loader) origin(p *Predicate, n *node) error {
	if f := n.get("function"); f != nil {
		return l.hint(f, "compute its values and list them as observations", "%s is a function: Java classes cannot be called", p.Name)
	}
	if t := n.get("type"); t != nil {
		text, err := l.scalar(t, "type")
		if err != nil {
			return err
		}
		switch className(text) {
		case "StandardPredicate":
		case "DeepPredicate":
			if d := n.get("network"); d != nil {
				return l.errorf(d, "%s is a DeepPredicate: its description stands in the place of the %s", p.Name, deepModel)
			}
			if l.opts.OwnOutputs {
				p.OwnOutputs = true
				return nil
			}
			return l.deepPredicate(p, t, n)
		default:
			return l.errorf(t, "there is no type of predicates %s", facts.Show(text))
		}
	}
	if d := n.get("network"); d != nil && l.opts.OwnOutputs {
		p.OwnOutputs = true
	} else if d != nil {
		if err := l.network(p, d, false); err != nil {
			return err
		}
	}
	if o := n.get("force-open"); o != nil {
		if err := l.expect(o, boolNode, "force-open"); err != nil {
			return err
		}
		if t := n.get("targets"); isTrue(o.text) && (t == nil || len(t.items) == 0) {
			l.loud(o, "list its targets", "%s is open without targets: its atoms that are not observed count as false", p.Name)
		}
	}
	options, err := l.appendOptions(nil, n.get("options"))
	for _, o := range options {
		if strings.EqualFold(o.name, "integer") {
			err = l.truth(&p.Integer)(&o)
		} else {
			l.m.Unused = append(l.m.Unused, p.Name+"."+o.name)
		}
	}
	return err
}
