package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
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
func (l *loader) declare(key, n *node) {
	l.expect(n, objectNode, "the predicate "+key.text)
	l.only(n, "a predicate", "name", "arity", "types", "type", "function", "network", "force-open", "options",
		"observations", "targets", "truth", "evaluations")
	p := Predicate{Name: key.text, Arity: -1}
	if name, arity, ok := strings.Cut(key.text, "/"); ok {
		v, err := strconv.Atoi(arity)
		if err != nil {
			panic(l.errorf(key, "%s is not Name/arity", facts.Show(key.text)))
		}
		p.Name, p.Arity = name, v
	}
	if p.Name == "" || strings.Trim(p.Name, nameLetters) != "" || p.Name[0] >= '0' && p.Name[0] <= '9' {
		panic(l.errorf(key, "%s is no name for a predicate: letters, digits, _ and $ make one", facts.Show(p.Name)))
	}
	for _, other := range l.m.Predicates {
		if strings.EqualFold(other.Name, p.Name) {
			panic(l.errorf(key, "the predicate %s is declared twice", p.Name))
		}
	}
	l.signature(&p, key, n)
	l.origin(&p, n)
	err := l.m.Data.Predicate(p.Name, p.Arity)
	if err == nil {
		all := make([]ground.Type, p.Arity)
		for i, t := range p.Types {
			all[i] = types[t]
		}
		err = l.m.Data.SetTypes(p.Name, all...)
	}
	if err != nil {
		panic(l.errorf(key, "%v", err))
	}
	l.m.Predicates = append(l.m.Predicates, p)
	for _, e := range l.elements(n, "evaluations", listNode) {
		l.readEvaluation(&p, &e)
	}
}

// signature reads arity and types, which must agree.
func (l *loader) signature(p *Predicate, key, n *node) {
	agree := func(n *node, arity int, what string) {
		if p.Arity >= 0 && p.Arity != arity {
			panic(l.errorf(n, "%s has %s by its name or arity, %d by its %s", p.Name, psl.Count(p.Arity, "argument"), arity, what))
		}
		p.Arity = arity
	}
	if a := n.get("arity"); a != nil {
		text := l.scalar(a, "arity")
		v, err := strconv.Atoi(text)
		if err != nil {
			panic(l.errorf(a, "the arity %s is not an integer", facts.Show(text)))
		}
		agree(a, v, "arity")
	}
	if t := n.get("types"); t != nil && len(t.items) > 0 {
		l.expect(t, listNode, "types")
		for i := range t.items {
			text := l.scalar(&t.items[i], "a type")
			if _, known := types[text]; !known {
				panic(l.hint(&t.items[i], suggest(text, sortedKeys(types)), "there is no type %s", facts.Show(text)))
			}
			p.Types = append(p.Types, text)
		}
		agree(t, len(p.Types), "types")
	}
	if p.Arity < 1 || p.Arity > ground.MaxArity {
		if p.Arity == -1 {
			panic(l.hint(key, "write "+p.Name+"/2 for two arguments", "the arity of %s is missing", p.Name))
		}
		panic(l.errorf(key, "%s has %s, possible are 1 to %d", p.Name, psl.Count(p.Arity, "argument"), ground.MaxArity))
	}
	if p.Types == nil {
		byDefault := "UniqueStringID"
		if l.m.Options.IntIDs {
			byDefault = "UniqueIntID"
		}
		p.Types = slices.Repeat([]string{byDefault}, p.Arity)
	}
}

// origin reads where the values of a predicate come from: data, or a network. Those
// that come from Java or Python are errors.
func (l *loader) origin(p *Predicate, n *node) {
	if f := n.get("function"); f != nil {
		panic(l.hint(f, "compute its values and list them as observations", "%s is a function: Java classes cannot be called", p.Name))
	}
	if t := n.get("type"); t != nil {
		text := l.scalar(t, "type")
		switch className(text) {
		case "StandardPredicate":
		case "DeepPredicate":
			if d := n.get("network"); d != nil {
				panic(l.errorf(d, "%s is a DeepPredicate: its description stands in the place of the %s", p.Name, deepModel))
			}
			if l.opts.OwnOutputs {
				p.OwnOutputs = true
				return
			}
			l.deepPredicate(p, t, n)
			return
		default:
			panic(l.errorf(t, "there is no type of predicates %s", facts.Show(text)))
		}
	}
	if d := n.get("network"); d != nil && l.opts.OwnOutputs {
		p.OwnOutputs = true
	} else if d != nil {
		l.network(p, d, false)
	}
	if o := l.child(n, "force-open", boolNode); o != nil {
		if t := n.get("targets"); isTrue(o.text) && (t == nil || len(t.items) == 0) {
			l.loud(o, "list its targets", "%s is open without targets: its atoms that are not observed count as false", p.Name)
		}
	}
	for _, o := range l.appendOptions(nil, n.get("options")) {
		switch {
		case strings.EqualFold(o.name, "integer"):
			l.truth(&p.Integer)(&o)
		case evaluatorOption(o.name):
			l.loud(o.node, "write it in the options of the evaluation", "the option %s is one of an evaluator, not of %s", o.name, p.Name)
		case p.Network != nil || p.OwnOutputs || effectOf(o.name) == harmless:
			l.m.Unused = append(l.m.Unused, p.Name+"."+o.name)
		default:
			l.loud(o.node, suggest(o.name, []string{"Integer"}), "a predicate has no option %s", facts.Show(o.name))
		}
	}
}
