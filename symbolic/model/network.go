package model

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// Network describes the network whose outputs are the values of a predicate: the
// neural outputs g. The package comment has the keys of the file behind the fields.
type Network struct {
	// Pos is where the description begins.
	Pos psl.Pos
	// Model is the kind, one of Networks, or "onnx" for the network of the file ONNX.
	Model, ONNX string
	// Features is the path of the features, or mnist:train or mnist:test, Entities that of the
	// names of the entities, for features that do not name them.
	Features, Entities string
	// Source, if not nil, is the source of the features in place of Features: the columns of the
	// entity, then those of features. Categories has the columns of categories with their texts,
	// none for those of the rows.
	Source     *facts.Source
	Categories map[string][]string
	// Labelled reports whether the last field of a line of features is a label, which is not looked at.
	Labelled bool
	// Channels is 1 for grey images, 3 for colours.
	Channels int
	// Entity lists the arguments that name the entity, Class is the argument that
	// names the class, −1 for a predicate whose arguments all name the entity. Then
	// the network has one output.
	Entity []int
	Class  int
	// Classes are the constants of the class, in the order of the outputs.
	Classes []string
	// Layers are the widths of the hidden layers of a perceptron, or of the head of a
	// ResNet18 or LeNet, whose stages have Widths channels. Stack are the layers of a sequential.
	Layers, Widths []int
	Stack          []Layer
	// Head reports whether a perceptron, of Layers, is put on the outputs of ONNX.
	Head bool
	// Dropout is the probability in [0, 1) of dropping a hidden unit in training.
	Dropout float64
	// Weights is the path of the first weights, or "". Freeze are patterns of the parameters that stay
	// as they begin, Rates factors of the learning rate for others, of which the last that fits counts.
	Weights string
	Freeze  []string
	Rates   []Rate
	// Output is softmax, one class an entity, or sigmoid, each class for itself.
	Output string
	// Share names the predicate whose network this one is, except for the outputs: it
	// has its features and its hidden layers. Model and what follows from it are taken from
	// that predicate.
	Share string
}

// Networks lists the kinds of networks, including those that programs have added (see package
// modelfile), Outputs the functions of their last layer.
var (
	Networks = []string{"mlp", "resnet18", "lenet", "sequential"}
	Outputs  = []string{"softmax", "sigmoid"}
)

// Width returns the number of outputs an entity.
func (n *Network) Width() int { return max(len(n.Classes), 1) }

// keys of a description. The first are refused together with "share".
var networkKeys = []string{"model", "onnx", "features", "categories", "entities", "labels", "channels", "layers", "widths", "dropout", "weights", "freeze", "rates", "share", "entity", "classes", "output"}

const unshared = 13

// network reads a description. labelled is the default of "labels".
func (l *loader) network(p *Predicate, n *node, labelled bool) {
	l.expect(n, objectNode, "network")
	l.only(n, "a network", networkKeys...)
	d := &Network{Pos: l.pos(n), Channels: 1, Labelled: labelled, Class: -1, Output: Outputs[0]}
	for _, read := range []func(*Predicate, *Network, *node){l.networkKind, l.networkFeatures, l.networkSizes, l.networkStart, l.networkArguments} {
		read(p, d, n)
	}
	p.Network = d
}

// oneOf reads a key whose value is one of a few words.
func (l *loader) oneOf(n *node, key string, to *string, words []string) {
	v := n.get(key)
	if v == nil {
		return
	}
	text := l.scalar(v, key)
	if !slices.Contains(words, text) {
		panic(l.hint(v, suggest(text, words), "%s is %s", key, facts.Show(text)))
	}
	*to = text
}

func (l *loader) networkKind(p *Predicate, d *Network, n *node) {
	share := n.get("share")
	if file := n.get("onnx"); file != nil && share == nil {
		l.refuse(n, []string{"model", "widths"}, "remove one of them", `%s beside "onnx", which is the network`)
		d.Model, d.Head = "onnx", n.get("layers") != nil
		l.networkPath(n, "onnx", &d.ONNX)
		return
	}
	if share == nil {
		if n.get("model") == nil {
			panic(l.hint(n, "possible are "+strings.Join(Networks, ", "), `the network of %s has no "model"`, p.Name))
		}
		l.oneOf(n, "model", &d.Model, Networks)
		return
	}
	l.refuse(n, networkKeys[:unshared], "remove it", `%s beside "share": it is that of the other network`)
	text := l.scalar(share, "share")
	d.Share = text
	for _, other := range l.m.Predicates {
		if strings.EqualFold(other.Name, text) && other.Network != nil && other.Network.Share == "" {
			d.Share = other.Name
			d.Model = other.Network.Model
			return
		}
	}
	panic(l.hint(share, "name one that is declared before, and has a network of its own", "%s is no predicate with a network to share", facts.Show(text)))
}

// networkPath resolves a path of a description; data are looked for like data files.
func (l *loader) networkPath(n *node, key string, to *string) {
	v := l.child(n, key, textNode)
	if v == nil {
		return
	}
	if strings.HasPrefix(v.text, "mnist:") && key == "features" {
		*to = v.text
		if v.text != "mnist:train" && v.text != "mnist:test" {
			panic(l.hint(v, "possible are mnist:train and mnist:test", "there are no images %s", facts.Show(v.text)))
		}
		return
	}
	path, err := l.locateAny(v)
	must(dataFault(err))
	*to = path
}

func (l *loader) networkFeatures(p *Predicate, d *Network, n *node) {
	if d.Share != "" {
		return
	}
	if n.get("features") == nil {
		panic(l.hint(n, `add "features": the path of a file of tab-separated fields, of an array (.npy), of images`, "the network of %s has no features", p.Name))
	}
	if v := n.get("features"); v.kind == objectNode {
		l.networkSource(p, d, n, v)
		return
	}
	if v := n.get("categories"); v != nil {
		panic(l.hint(v, `write "features": {"csv": "people.csv", "columns": ["id", "age", "colour"]}`, "categories are of columns of a source, and the features are a file"))
	}
	l.networkPath(n, "features", &d.Features)
	l.networkPath(n, "entities", &d.Entities)
	labels := map[bool]string{true: "last", false: "none"}[d.Labelled]
	l.oneOf(n, "labels", &labels, []string{"none", "last"})
	d.Labelled = labels == "last"
	channels := strconv.Itoa(d.Channels)
	l.oneOf(n, "channels", &channels, []string{"1", "3"})
	d.Channels, _ = strconv.Atoi(channels)
}

// networkSource reads features that are columns of a source.
func (l *loader) networkSource(p *Predicate, d *Network, n, v *node) {
	src, at := l.source(p, v)
	switch {
	case src.Similar != nil:
		panic(l.errorf(at, "similar pairs are no features"))
	case len(src.Columns) < 2:
		panic(l.hint(v, `add "columns": ["id", "age", "colour"]`, "the source of the features has %s, want those of the entity, then those of features", psl.Count(len(src.Columns), "column")))
	}
	l.refuse(v, []string{"value", "scale", "shift"}, "remove it: numbers are scaled by their mean and variance where training begins",
		"%s is of the value of atoms, features have none")
	l.refuse(n, []string{"entities", "labels", "channels"}, "remove it", "%s beside features from columns")
	d.Source, d.Features, d.Labelled = src, src.Name(), false
	categories := l.child(n, "categories", objectNode)
	if categories == nil {
		return
	}
	d.Categories = map[string][]string{}
	for i := range categories.keys {
		name, list := categories.keys[i].text, &categories.items[i]
		if !slices.ContainsFunc(src.Columns, func(c facts.Column) bool { return c.Name == name }) {
			panic(l.errorf(&categories.items[i], "the source of the features takes no column %s", facts.Show(name)))
		}
		l.expect(list, listNode, "the categories of "+name)
		d.Categories[name] = nil
		for k := range list.items {
			d.Categories[name] = append(d.Categories[name], l.scalar(&list.items[k], "a category"))
		}
	}
}

// integers reads a list of integers that are at least least.
func (l *loader) integers(n *node, key string, least int) []int {
	items := l.elements(n, key, numberNode)
	var out []int
	for i := range items {
		k, err := strconv.Atoi(items[i].text)
		if err != nil || items[i].kind != numberNode || k < least || k > maxWidth {
			panic(l.errorf(&items[i], "%s: %s is not an integer from %d to %d", key, facts.Show(items[i].text), least, maxWidth))
		}
		out = append(out, k)
	}
	return out
}

// maxWidth bounds the widths of layers and the number of classes.
const maxWidth = 1 << 16

// Layer is an element of the list of layers of a sequential: a text, or an object whose first key
// is the kind, with a number, and whose other keys are further numbers.
type Layer struct {
	Kind    string
	Main    float64            // the number of the kind, 0 for a text
	Numbers map[string]float64 // of the other keys
}

// layerKeys are the further keys of a layer, by its kind.
var layerKeys = map[string][]string{"conv": {"size", "stride", "padding"}, "pool": {"stride"}}

// plainLayers are the kinds that have no number.
var plainLayers = []string{"norm", "relu", "average", "attention"}

// stack reads the layers of a sequential.
func (l *loader) stack(d *Network, n *node) {
	layers := l.child(n, "layers", listNode)
	if layers == nil {
		panic(l.hint(n, `write "layers": [{"conv": 16}, "norm", "relu", "pool", "average"]`, `a sequential has no "layers"`))
	}
	for i := range layers.items {
		item := &layers.items[i]
		if item.kind == textNode {
			d.Stack = append(d.Stack, Layer{Kind: item.text})
			continue
		}
		if item.kind != objectNode || len(item.keys) == 0 {
			panic(l.hint(item, `write "relu", or {"conv": 16}`, "a layer is %s", item.kind))
		}
		layer := Layer{Kind: item.keys[0].text, Numbers: map[string]float64{}}
		if slices.Contains(plainLayers, layer.Kind) {
			panic(l.hint(item, `write "`+layer.Kind+`"`, "a layer %s has no number", layer.Kind))
		}
		l.only(item, "a layer "+layer.Kind, append([]string{layer.Kind}, layerKeys[layer.Kind]...)...)
		for k := range item.keys {
			key, v := item.keys[k].text, &item.items[k]
			x, err := parseNumber(v.text)
			if v.kind != numberNode || err != nil || !(x >= 0 && x <= maxWidth) {
				panic(l.errorf(v, "%s of a layer is %s, want a number from 0 to %d", key, facts.Show(v.text), maxWidth))
			}
			if layer.Kind != "dropout" && x != math.Trunc(x) {
				panic(l.errorf(v, "%s of a layer is %s, want a whole number", key, v.text))
			}
			if layer.Numbers[key] = x; k == 0 {
				layer.Main = x
				delete(layer.Numbers, key)
			}
		}
		d.Stack = append(d.Stack, layer)
	}
	l.refuse(n, []string{"widths", "dropout"}, "remove it", "%s beside a sequential, whose layers have all numbers")
}

func (l *loader) networkSizes(_ *Predicate, d *Network, n *node) {
	if d.Model == "sequential" && d.Share == "" {
		l.stack(d, n)
		return
	}
	d.Layers = l.integers(n, "layers", 1)
	d.Widths = l.integers(n, "widths", 1)
	if w := n.get("widths"); w != nil {
		if n, ok := map[string]int{"mlp": 0, "resnet18": 4, "lenet": 3}[d.Model]; ok && len(d.Widths) != n {
			panic(l.errorf(w, "%s; those of a resnet18 are four, the channels of its stages, those of a lenet three, and a %s has %d", psl.Count(len(d.Widths), "width"), d.Model, n))
		}
	}
	if v := n.get("dropout"); v != nil {
		var err error
		if d.Dropout, err = parseNumber(v.text); err != nil || !(d.Dropout >= 0 && d.Dropout < 1) {
			panic(l.errorf(v, "dropout is %s, want a number in [0, 1)", facts.Show(v.text)))
		}
		if own := []string{"onnx", "mlp", "resnet18", "lenet"}; d.Dropout > 0 && len(d.Layers) == 0 && slices.Contains(own, d.Model) {
			panic(l.hint(v, `add their widths, "layers": [64], or remove it`, `dropout is of the hidden layers, and there are none`))
		}
	}
}

// networkArguments reads the meaning of the arguments and the form of the output.
func (l *loader) networkArguments(p *Predicate, d *Network, n *node) {
	classes := n.get("classes")
	if classes != nil {
		l.classes(d, classes)
	}
	d.Entity = l.integers(n, "entity", 0)
	if d.Entity == nil {
		last := p.Arity
		if classes != nil {
			last--
		}
		for i := range last {
			d.Entity = append(d.Entity, i)
		}
	}
	at := n.get("entity")
	if at == nil {
		at = n
	}
	rest := make([]int, p.Arity)
	for i := range rest {
		rest[i] = i
	}
	for _, i := range d.Entity {
		k := slices.Index(rest, i)
		if k < 0 {
			panic(l.errorf(at, "argument %d of %s, which has the arguments 0 to %d, each once", i, p.Name, p.Arity-1))
		}
		rest = slices.Delete(rest, k, k+1)
	}
	switch {
	case len(d.Entity) == 0:
		panic(l.errorf(at, "no argument of %s names the entity", p.Name))
	case len(rest) > 1:
		panic(l.hint(at, `name the others in "entity"`, "%d arguments of %s are no part of the entity; one of them can be the class", len(rest), p.Name))
	case len(rest) == 1 && classes == nil:
		panic(l.hint(n, `add "classes": their number, or the list of their names`, "the network of %s has no classes, but an argument for them", p.Name))
	case len(rest) == 0 && classes != nil:
		panic(l.errorf(classes, "all arguments of %s name the entity; there is none for the class", p.Name))
	case len(rest) == 1:
		d.Class = rest[0]
	default:
		d.Output = "sigmoid"
	}
	l.oneOf(n, "output", &d.Output, Outputs)
	if d.Class < 0 && d.Output == "softmax" {
		panic(l.errorf(n.get("output"), "a softmax over one output is always 1; want sigmoid"))
	}
}

// classes reads the number of classes, which are then 0, 1, …, or their names.
func (l *loader) classes(d *Network, n *node) {
	if n.kind != listNode {
		text := l.scalar(n, "classes")
		k, err := strconv.Atoi(text)
		if err != nil || k < 1 || k > maxWidth {
			panic(l.errorf(n, "classes is %s, want their number or the list of their names", facts.Show(text)))
		}
		for i := range k {
			d.Classes = append(d.Classes, strconv.Itoa(i))
		}
		return
	}
	for i := range n.items {
		text := l.scalar(&n.items[i], "a class")
		if slices.Contains(d.Classes, text) {
			panic(l.errorf(&n.items[i], "the class %s occurs twice", facts.Show(text)))
		}
		d.Classes = append(d.Classes, text)
	}
	if len(d.Classes) == 0 {
		panic(l.errorf(n, "classes is an empty list"))
	}
}

// locateAny is locate for a path that may be a folder.
func (l *loader) locateAny(n *node) (string, error) {
	path := l.beside(n)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path, nil
	}
	return l.locate(n)
}

// checkClasses requires the class of every neural atom to be one of the network's.
func (l *loader) checkClasses(p *Predicate) {
	d := p.Network
	if d.Class < 0 {
		return
	}
	known := make(map[string]bool, len(d.Classes))
	for _, c := range d.Classes {
		known[c] = true
	}
	for a := range l.m.Data.Atoms(p.Name) {
		if c := a.Args[d.Class]; a.Kind == ground.Deep && !known[c] {
			must(dataFault(&Error{Pos: d.Pos, Hint: suggest(c, d.Classes),
				Msg: fmt.Sprintf("the network of %s has no class %s, which %s(%s) asks for", p.Name, facts.Show(c), p.Name, strings.Join(a.Args, ", "))}))
		}
	}
}
