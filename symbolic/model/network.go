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
// neural outputs g. It is the predicate's key "network"; for a DeepPredicate it
// stands in the place of the path of its Python network.
type Network struct {
	// Pos is where the description begins.
	Pos psl.Pos
	// Model is the kind, one of Networks, or "onnx" for the network of the file ONNX.
	Model, ONNX string
	// Features is the path of the features: a file of tab-separated fields, an
	// array (.npy), images in IDX form or a folder of images; mnist:train and
	// mnist:test are MNIST's own images. Entities is the path of the entities, one a
	// line, for features that do not name them.
	Features, Entities string
	// Source, if not nil, is the source of the features in place of Features: the columns of the
	// entity, then those of features. Categories has the columns of categories with their texts,
	// none for those of the rows.
	Source     *facts.Source
	Categories map[string][]string
	// Labelled reports whether the last field of a line of features is a label: it is no
	// feature and is not looked at.
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
	// ResNet18 or LeNet, whose stages have Widths channels.
	Layers []int
	Widths []int
	// Stack are the layers of a sequential.
	Stack []Layer
	// Head reports whether a perceptron, of Layers, is put on the outputs of ONNX.
	Head bool
	// Dropout is the probability in [0, 1) of dropping a hidden unit in training.
	Dropout float64
	// Weights is the path of a safetensors file, or of a state_dict of torch.save, that training
	// begins with, or "". Freeze are patterns of the parameters that stay as they begin, Rates
	// factors of the learning rate for others, of which the last that fits counts.
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
func (l *loader) network(p *Predicate, n *node, labelled bool) error {
	if err := l.expect(n, objectNode, "network"); err != nil {
		return err
	}
	if err := l.only(n, "a network", networkKeys...); err != nil {
		return err
	}
	d := &Network{Pos: l.pos(n), Channels: 1, Labelled: labelled, Class: -1, Output: Outputs[0]}
	for _, read := range []func(*Predicate, *Network, *node) error{l.networkKind, l.networkFeatures, l.networkSizes, l.networkStart, l.networkArguments} {
		if err := read(p, d, n); err != nil {
			return err
		}
	}
	p.Network = d
	return nil
}

// oneOf reads a key whose value is one of a few words.
func (l *loader) oneOf(n *node, key string, to *string, words []string) error {
	v := n.get(key)
	if v == nil {
		return nil
	}
	text, err := l.scalar(v, key)
	if err != nil {
		return err
	}
	if !slices.Contains(words, text) {
		return l.hint(v, suggest(text, words), "%s is %s", key, facts.Show(text))
	}
	*to = text
	return nil
}

func (l *loader) networkKind(p *Predicate, d *Network, n *node) error {
	share := n.get("share")
	if file := n.get("onnx"); file != nil && share == nil {
		for _, key := range []string{"model", "widths"} {
			if v := n.get(key); v != nil {
				return l.hint(v, "remove one of them", `%s beside "onnx", which is the network`, key)
			}
		}
		if d.Head = n.get("layers") != nil; !d.Head && n.get("dropout") != nil {
			return l.hint(n.get("dropout"), `"layers": [] is one linear layer`, `dropout is of the hidden layers, and there are no "layers" beside "onnx"`)
		}
		d.Model = "onnx"
		return l.networkPath(n, "onnx", &d.ONNX)
	}
	if share == nil {
		if n.get("model") == nil {
			return l.hint(n, "possible are "+strings.Join(Networks, ", "), `the network of %s has no "model"`, p.Name)
		}
		return l.oneOf(n, "model", &d.Model, Networks)
	}
	for _, key := range networkKeys[:unshared] {
		if v := n.get(key); v != nil {
			return l.hint(v, "remove it", `%s beside "share": it is that of the other network`, key)
		}
	}
	text, err := l.scalar(share, "share")
	if err != nil {
		return err
	}
	d.Share = text
	for _, other := range l.m.Predicates {
		if strings.EqualFold(other.Name, text) && other.Network != nil && other.Network.Share == "" {
			d.Share = other.Name
			d.Model = other.Network.Model
			return nil
		}
	}
	return l.hint(share, "name one that is declared before, and has a network of its own", "%s is no predicate with a network to share", facts.Show(text))
}

// networkPath resolves a path of a description; data are looked for like data files.
func (l *loader) networkPath(n *node, key string, to *string) error {
	v := n.get(key)
	if v == nil {
		return nil
	}
	if err := l.expect(v, textNode, key); err != nil {
		return err
	}
	if strings.HasPrefix(v.text, "mnist:") && key == "features" {
		*to = v.text
		if v.text != "mnist:train" && v.text != "mnist:test" {
			return l.hint(v, "possible are mnist:train and mnist:test", "there are no images %s", facts.Show(v.text))
		}
		return nil
	}
	path, err := l.locateAny(v)
	if err != nil {
		return dataFault(err)
	}
	*to = path
	return nil
}

func (l *loader) networkFeatures(p *Predicate, d *Network, n *node) error {
	if d.Share != "" {
		return nil
	}
	if n.get("features") == nil {
		return l.hint(n, `add "features": the path of a file of tab-separated fields, of an array (.npy), of images`, "the network of %s has no features", p.Name)
	}
	if v := n.get("features"); v.kind == objectNode {
		return l.networkSource(p, d, n, v)
	}
	if v := n.get("categories"); v != nil {
		return l.hint(v, `write "features": {"csv": "people.csv", "columns": ["id", "age", "colour"]}`, "categories are of columns of a source, and the features are a file")
	}
	if err := l.networkPath(n, "features", &d.Features); err != nil {
		return err
	}
	if err := l.networkPath(n, "entities", &d.Entities); err != nil {
		return err
	}
	labels := map[bool]string{true: "last", false: "none"}[d.Labelled]
	if err := l.oneOf(n, "labels", &labels, []string{"none", "last"}); err != nil {
		return err
	}
	d.Labelled = labels == "last"
	channels := strconv.Itoa(d.Channels)
	if err := l.oneOf(n, "channels", &channels, []string{"1", "3"}); err != nil {
		return err
	}
	d.Channels, _ = strconv.Atoi(channels)
	return nil
}

// networkSource reads features that are columns of a source.
func (l *loader) networkSource(p *Predicate, d *Network, n, v *node) error {
	src, at, err := l.source(p, v)
	if err != nil {
		return err
	}
	switch {
	case src.Similar != nil:
		return l.errorf(at, "similar pairs are no features")
	case len(src.Columns) < 2:
		return l.hint(v, `add "columns": ["id", "age", "colour"]`, "the source of the features has %d columns, want those of the entity, then those of features", len(src.Columns))
	}
	for _, key := range []string{"value", "scale", "shift"} {
		if at := v.get(key); at != nil {
			return l.hint(at, "remove it: numbers are scaled by their mean and variance where training begins", "%s is of the value of atoms, features have none", key)
		}
	}
	for _, key := range []string{"entities", "labels", "channels"} {
		if at := n.get(key); at != nil {
			return l.hint(at, "remove it", "%s beside features from columns", key)
		}
	}
	d.Source, d.Features, d.Labelled = src, src.Name(), false
	categories := n.get("categories")
	if categories == nil {
		return nil
	}
	if err := l.expect(categories, objectNode, "categories"); err != nil {
		return err
	}
	d.Categories = map[string][]string{}
	for i := range categories.keys {
		name, list := categories.keys[i].text, &categories.items[i]
		if !slices.ContainsFunc(src.Columns, func(c facts.Column) bool { return c.Name == name }) {
			return l.errorf(&categories.items[i], "the source of the features takes no column %s", facts.Show(name))
		}
		if err := l.expect(list, listNode, "the categories of "+name); err != nil {
			return err
		}
		d.Categories[name] = nil
		for k := range list.items {
			text, err := l.scalar(&list.items[k], "a category")
			if err != nil {
				return err
			}
			d.Categories[name] = append(d.Categories[name], text)
		}
	}
	return nil
}

// integers reads a list of integers that are at least least.
func (l *loader) integers(n *node, key string, least int) ([]int, error) {
	items, err := l.elements(n, key, numberNode)
	if err != nil {
		return nil, err
	}
	var out []int
	for i := range items {
		k, err := strconv.Atoi(items[i].text)
		if err != nil || items[i].kind != numberNode || k < least || k > maxWidth {
			return nil, l.errorf(&items[i], "%s: %s is not an integer from %d to %d", key, facts.Show(items[i].text), least, maxWidth)
		}
		out = append(out, k)
	}
	return out, nil
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

// stack reads the layers of a sequential.
func (l *loader) stack(d *Network, n *node) error {
	layers := n.get("layers")
	if layers == nil {
		return l.hint(n, `write "layers": [{"conv": 16}, "norm", "relu", "pool", "average"]`, `a sequential has no "layers"`)
	}
	if err := l.expect(layers, listNode, "layers"); err != nil {
		return err
	}
	for i := range layers.items {
		item := &layers.items[i]
		if item.kind == textNode {
			d.Stack = append(d.Stack, Layer{Kind: item.text})
			continue
		}
		if item.kind != objectNode || len(item.keys) == 0 {
			return l.hint(item, `write "relu", or {"conv": 16}`, "a layer is %s", item.kind)
		}
		layer := Layer{Kind: item.keys[0].text, Numbers: map[string]float64{}}
		if err := l.only(item, "a layer "+layer.Kind, append([]string{layer.Kind}, layerKeys[layer.Kind]...)...); err != nil {
			return err
		}
		for k := range item.keys {
			key, v := item.keys[k].text, &item.items[k]
			x, err := parseNumber(v.text)
			if v.kind != numberNode || err != nil || !(x >= 0 && x <= maxWidth) {
				return l.errorf(v, "%s of a layer is %s, want a number from 0 to %d", key, facts.Show(v.text), maxWidth)
			}
			if layer.Kind != "dropout" && x != math.Trunc(x) {
				return l.errorf(v, "%s of a layer is %s, want a whole number", key, v.text)
			}
			if layer.Numbers[key] = x; k == 0 {
				layer.Main = x
				delete(layer.Numbers, key)
			}
		}
		d.Stack = append(d.Stack, layer)
	}
	for _, key := range []string{"widths", "dropout"} {
		if v := n.get(key); v != nil {
			return l.hint(v, "remove it", "%s beside a sequential, whose layers have all numbers", key)
		}
	}
	return nil
}

func (l *loader) networkSizes(_ *Predicate, d *Network, n *node) (err error) {
	if d.Model == "sequential" && d.Share == "" {
		return l.stack(d, n)
	}
	if d.Layers, err = l.integers(n, "layers", 1); err != nil {
		return err
	}
	if d.Widths, err = l.integers(n, "widths", 1); err != nil {
		return err
	}
	if w := n.get("widths"); w != nil {
		if n, ok := map[string]int{"mlp": 0, "resnet18": 4, "lenet": 3}[d.Model]; ok && len(d.Widths) != n {
			return l.errorf(w, "%d widths; those of a resnet18 are four, the channels of its stages, those of a lenet three, and a %s has %d", len(d.Widths), d.Model, n)
		}
	}
	if v := n.get("dropout"); v != nil {
		if d.Dropout, err = parseNumber(v.text); err != nil || !(d.Dropout >= 0 && d.Dropout < 1) {
			return l.errorf(v, "dropout is %s, want a number in [0, 1)", facts.Show(v.text))
		}
	}
	return nil
}

// networkArguments reads the meaning of the arguments and the form of the output.
func (l *loader) networkArguments(p *Predicate, d *Network, n *node) (err error) {
	classes := n.get("classes")
	if classes != nil {
		if err := l.classes(d, classes); err != nil {
			return err
		}
	}
	if d.Entity, err = l.integers(n, "entity", 0); err != nil {
		return err
	}
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
			return l.errorf(at, "argument %d of %s, which has the arguments 0 to %d, each once", i, p.Name, p.Arity-1)
		}
		rest = slices.Delete(rest, k, k+1)
	}
	switch {
	case len(d.Entity) == 0:
		return l.errorf(at, "no argument of %s names the entity", p.Name)
	case len(rest) > 1:
		return l.hint(at, `name the others in "entity"`, "%d arguments of %s are no part of the entity; one of them can be the class", len(rest), p.Name)
	case len(rest) == 1 && classes == nil:
		return l.hint(n, `add "classes": their number, or the list of their names`, "the network of %s has no classes, but an argument for them", p.Name)
	case len(rest) == 0 && classes != nil:
		return l.errorf(classes, "all arguments of %s name the entity; there is none for the class", p.Name)
	case len(rest) == 1:
		d.Class = rest[0]
	default:
		d.Output = "sigmoid"
	}
	if err := l.oneOf(n, "output", &d.Output, Outputs); err != nil {
		return err
	}
	if d.Class < 0 && d.Output == "softmax" {
		return l.errorf(n.get("output"), "a softmax over one output is always 1; want sigmoid")
	}
	return nil
}

// classes reads the number of classes, which are then 0, 1, …, or their names.
func (l *loader) classes(d *Network, n *node) error {
	if n.kind != listNode {
		text, err := l.scalar(n, "classes")
		if err != nil {
			return err
		}
		k, err := strconv.Atoi(text)
		if err != nil || k < 1 || k > maxWidth {
			return l.errorf(n, "classes is %s, want their number or the list of their names", facts.Show(text))
		}
		for i := range k {
			d.Classes = append(d.Classes, strconv.Itoa(i))
		}
		return nil
	}
	for i := range n.items {
		text, err := l.scalar(&n.items[i], "a class")
		if err != nil {
			return err
		}
		if slices.Contains(d.Classes, text) {
			return l.errorf(&n.items[i], "the class %s occurs twice", facts.Show(text))
		}
		d.Classes = append(d.Classes, text)
	}
	if len(d.Classes) == 0 {
		return l.errorf(n, "classes is an empty list")
	}
	return nil
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
func (l *loader) checkClasses(p *Predicate) error {
	d := p.Network
	if d.Class < 0 {
		return nil
	}
	known := make(map[string]bool, len(d.Classes))
	for _, c := range d.Classes {
		known[c] = true
	}
	for a := range l.m.Data.Atoms(p.Name) {
		if c := a.Args[d.Class]; a.Kind == ground.Deep && !known[c] {
			return dataFault(&Error{Pos: d.Pos, Hint: suggest(c, d.Classes),
				Msg: fmt.Sprintf("the network of %s has no class %s, which %s(%s) asks for", p.Name, facts.Show(c), p.Name, strings.Join(a.Args, ", "))})
		}
	}
	return nil
}
