package model

import (
	"fmt"
	"slices"
	"strings"
)

// keys maps a DeepPredicate's options that a description takes over to their names there.
const (
	deepModel    = "model-path"
	deepFeatures = "entity-data-map-path"
	deepEntity   = "entity-argument-indexes"
	deepClasses  = "class-size"
)

// deepPredicate reads the options of a DeepPredicate of the reference system.
func (l *loader) deepPredicate(p *Predicate, at, n *node) {
	options := n.get("options")
	var path *node
	if options != nil {
		l.expect(options, objectNode, "options")
		path = options.get(deepModel)
	}
	if path == nil {
		path = at
	}
	if path.kind != objectNode {
		panic(l.hint(path, fmt.Sprintf(`write "options": {%q: {"model": "mlp", "layers": [64]}, …} for a perceptron, "resnet18" for images; the other options stay`, deepModel),
			"%s is a DeepPredicate: Python networks cannot be called", p.Name))
	}
	// The description takes over the options.
	d := *path
	d.keys, d.items = slices.Clone(d.keys), slices.Clone(d.items)
	for _, k := range []struct{ deep, key string }{{deepFeatures, "features"}, {deepEntity, "entity"}, {deepClasses, "classes"}} {
		if v := options.get(k.deep); v != nil && path.get(k.key) == nil && path.get("share") == nil {
			item := *v
			if item.kind == textNode && k.deep == deepEntity {
				item = l.indexList(&item)
			}
			d.keys, d.items = append(d.keys, node{kind: textNode, text: k.key, line: v.line, col: v.col}), append(d.items, item)
		}
	}
	for i := range options.keys {
		switch name := options.keys[i].text; name {
		case deepModel, deepFeatures, deepEntity, deepClasses:
		default:
			l.m.Unused = append(l.m.Unused, p.Name+"."+name)
		}
	}
	labelled := options.get(deepFeatures) != nil && path.get("features") == nil
	l.network(p, &d, labelled)
}

// indexList turns "0,1" into a list of numbers.
func (l *loader) indexList(n *node) node {
	list := node{kind: listNode, line: n.line, col: n.col}
	for text := range strings.SplitSeq(n.text, ",") {
		list.items = append(list.items, node{kind: numberNode, text: strings.TrimSpace(text), line: n.line, col: n.col})
	}
	return list
}
