package model

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// deepExample is a model of the reference with the path of its Python network
// replaced.
const deepExample = `{
	"rules": ["1: Neural(X, C) = Label(X, C) ^2"],
	"predicates": {
		"Neural/2": {
			"type": "DeepPredicate",
			"options": {
				"model-path": {"model": "mlp", "layers": [8, 4], "dropout": 0.5},
				"entity-data-map-path": "map.txt",
				"entity-argument-indexes": "0",
				"class-size": "2",
				"save-path": "saved"
			},
			"targets": {"learn": [["a", 0], ["a", 1]], "infer": ["targets.txt"]},
			"truth": {"infer": [["b", 1]]},
			"evaluations": ["CategoricalEvaluator"]
		},
		"Label/2": {"targets": ["targets.txt"]}
	}
}`

// TestDeepPredicate: a model of the reference needs one change.
func TestDeepPredicate(t *testing.T) {
	m := mustLoad(t, map[string]string{"model.json": deepExample, "map.txt": "a\t1\t2\t0\nb\t3\t4\t1\n", "targets.txt": "b\t0\nb\t1\n"}, LoadOptions{})
	want := &Network{Pos: psl.Pos{File: "model.json", Line: 7, Col: 19},
		Model: "mlp", Features: "map.txt", Labelled: true, Channels: 1, Entity: []int{0}, Class: 1,
		Classes: []string{"0", "1"}, Layers: []int{8, 4}, Dropout: 0.5, Output: "softmax"}
	if got := m.Predicates[0].Network; !reflect.DeepEqual(got, want) || got.Width() != 2 {
		t.Errorf("network %+v\nwant %+v", got, want)
	}
	if m.Predicates[1].Network != nil || !reflect.DeepEqual(m.Unused, []string{"Neural.save-path"}) {
		t.Errorf("Label has a network, or unused options are %v", m.Unused)
	}
	if len(m.Warnings) > 0 {
		t.Errorf("warnings %v", m.Warnings)
	}
	if info := m.Data.Predicates()[0]; info != (ground.PredicateInfo{Name: "Neural", Arity: 2, Deep: 2, Truths: 1}) {
		t.Errorf("data %+v", info)
	}
	results, err := m.Evaluate([]float64{0, 0}, []float64{0.2, 0.8})
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	if v, _ := results[0].Get("accuracy"); v != 1 {
		t.Errorf("accuracy of the network's outputs %v", v)
	}
	if _, err := m.Evaluate([]float64{0, 0}, nil); err == nil {
		t.Error("evaluated without the network's outputs")
	}
}

// described makes a model of two predicates with the inside of a description.
func described(name, inside string) string {
	return "{'rules': ['1: !R(A)'],\n'predicates': {'R/1': {}, 'N/1': {'network': {'model': 'resnet18', 'features': 'mnist:test'}},\n'" +
		name + "': {'network': {" + inside + "}}}}"
}

// TestNetwork: what follows from a description.
func TestNetwork(t *testing.T) {
	for _, test := range []struct {
		name, inside string
		want         Network
	}{
		{"P/1", `'model': 'mlp', 'features': 'mnist:test'`,
			Network{Model: "mlp", Features: "mnist:test", Channels: 1, Entity: []int{0}, Class: -1, Output: "sigmoid"}},
		{"P/3", `'model': 'mlp', 'features': 'mnist:test', 'classes': ['x', 'y'], 'entity': [2, 0], 'output': 'sigmoid'`,
			Network{Model: "mlp", Features: "mnist:test", Channels: 1, Entity: []int{2, 0}, Class: 1, Classes: []string{"x", "y"}, Output: "sigmoid"}},
		{"P/2", `'model': 'resnet18', 'widths': [2, 2, 3, 4], 'layers': 5, 'channels': 3, 'features': 'mnist:train', 'labels': 'last', 'classes': 1`,
			Network{Model: "resnet18", Features: "mnist:train", Labelled: true, Channels: 3, Entity: []int{0}, Class: 1, Classes: []string{"0"},
				Layers: []int{5}, Widths: []int{2, 2, 3, 4}, Output: "softmax"}},
		{"P/1", `'model': 'mlp', 'features': 'mnist:test', 'weights': 'later.safetensors', 'freeze': ['layers.0', '*.bias'], 'rates': {'layers.1': 0.1, '*': 2}`,
			Network{Model: "mlp", Features: "mnist:test", Channels: 1, Entity: []int{0}, Class: -1, Output: "sigmoid", Weights: "later.safetensors",
				Freeze: []string{"layers.0", "*.bias"}, Rates: []Rate{{"layers.1", 0.1}, {"*", 2}}}},
		{"P/2", `'share': 'n', 'classes': ['u', 'v']`,
			Network{Model: "resnet18", Channels: 1, Entity: []int{0}, Class: 1, Classes: []string{"u", "v"}, Output: "softmax", Share: "N"}},
	} {
		m, err := parsed(described(test.name, test.inside))
		if err != nil {
			t.Errorf("%s: %v", test.inside, detail(err))
			continue
		}
		got := *m.Predicates[2].Network
		got.Pos = psl.Pos{}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s\n got %+v\nwant %+v", test.inside, got, test.want)
		}
	}
}

// TestNetworkErrors lists the mistakes in a description.
func TestNetworkErrors(t *testing.T) {
	const mlp = `'model': 'mlp', 'features': 'mnist:test', `
	for _, test := range []struct{ name, inside, want string }{
		{"P/2", ``, `3:20: the network of P has no "model" (possible are mlp, resnet18, lenet, sequential)`},
		{"P/2", `'model': 'mpl'`, `3:30: model is "mpl" (did you mean mlp?)`},
		{"P/2", `'layer': 3`, `3:21: a network has no "layer" (did you mean layers?)`},
		{"P/2", `'model': 'mlp'`, `3:20: the network of P has no features (add "features": the path of a file of tab-separated fields, of an array (.npy), of images)`},
		{"P/2", `'model': 'mlp', 'features': 'absent.txt'`, `3:49: there is no data file absent.txt`},
		{"P/2", `'model': 'mlp', 'features': 'mnist:valid'`, `3:49: there are no images "mnist:valid" (possible are mnist:train and mnist:test)`},
		{"P/2", mlp + `'labels': 'first'`, `3:73: labels is "first" (possible are none, last)`},
		{"P/2", mlp + `'channels': 2`, `3:75: channels is "2" (did you mean 1?)`},
		{"P/2", mlp + `'layers': [0]`, `3:74: layers: "0" is not an integer from 1 to 65536`},
		{"P/2", mlp + `'layers': 'x'`, `3:73: layers is a text, want a list`},
		{"P/2", mlp + `'widths': [1, 2, 3, 4]`, `3:73: 4 widths; those of a resnet18 are four, the channels of its stages, those of a lenet three, and a mlp has 0`},
		{"P/2", mlp + `'dropout': 1`, `3:74: dropout is "1", want a number in [0, 1)`},
		{"P/2", mlp + `'weights': 1`, `3:74: weights is a number, want a text`},
		{"P/2", mlp + `'freeze': [1]`, `3:74: a pattern of freeze is a number, want a text`},
		{"P/2", mlp + `'freeze': {}`, `3:73: freeze is an object, want a list`},
		{"P/2", mlp + `'rates': 1`, `3:72: rates is a number, want an object`},
		{"P/2", mlp + `'rates': {'a': 0}`, `3:78: rates: "0" is no factor of the learning rate above 0 ("freeze" lists what is not to learn)`},
		{"P/2", mlp + `'classes': 0`, `3:74: classes is "0", want their number or the list of their names`},
		{"P/2", mlp + `'classes': []`, `3:74: classes is an empty list`},
		{"P/2", mlp + `'classes': ['a', 'a']`, `3:80: the class "a" occurs twice`},
		{"P/2", mlp + `'entity': 0`, `3:20: the network of P has no classes, but an argument for them (add "classes": their number, or the list of their names)`},
		{"P/2", mlp + `'entity': [0, 1], 'classes': 2`, `3:92: all arguments of P name the entity; there is none for the class`},
		{"P/2", mlp + `'entity': 2, 'classes': 2`, `3:73: argument 2 of P, which has the arguments 0 to 1, each once`},
		{"P/3", mlp + `'entity': 1, 'classes': 2`, `3:73: 2 arguments of P are no part of the entity; one of them can be the class (name the others in "entity")`},
		{"P/1", mlp + `'output': 'softmax'`, `3:73: a softmax over one output is always 1; want sigmoid`},
		{"P/2", mlp + `'classes': 2, 'output': 'tanh'`, `3:87: output is "tanh" (possible are softmax, sigmoid)`},
		{"P/2", `'share': 'Q', 'classes': 2`, `3:30: "Q" is no predicate with a network to share (name one that is declared before, and has a network of its own)`},
		{"P/2", `'onnx': 'x.onnx', 'model': 'mlp'`, `3:48: model beside "onnx", which is the network (remove one of them)`},
		{"P/1", mlp + `'dropout': 0.5`, `3:74: dropout is of the hidden layers, and there are none (add their widths, "layers": [64], or remove it)`},
		{"P/2", `'onnx': 'x.onnx'`, `3:29: there is no data file x.onnx`},
		{"P/2", `'model': 'sequential', 'features': 'mnist:test'`, `3:20: a sequential has no "layers" (write "layers": [{"conv": 16}, "norm", "relu", "pool", "average"])`},
		{"P/2", `'model': 'sequential', 'features': 'mnist:test', 'layers': [3]`, `3:81: a layer is a number (write "relu", or {"conv": 16})`},
		{"P/2", `'model': 'sequential', 'features': 'mnist:test', 'layers': [{'conv': 3, 'sise': 2}]`, `3:93: a layer conv has no "sise" (did you mean size?)`},
		{"P/2", `'model': 'sequential', 'features': 'mnist:test', 'layers': [{'conv': 1.5}]`, `3:90: conv of a layer is 1.5, want a whole number`},
		{"P/2", `'model': 'sequential', 'features': 'mnist:test', 'layers': [{'attention': 4}]`, `3:81: a layer attention has no number (write "attention")`},
		{"P/2", `'model': 'sequential', 'features': 'mnist:test', 'layers': ['relu'], 'widths': [2]`, `3:100: widths beside a sequential, whose layers have all numbers (remove it)`},
		{"P/2", mlp + `'categories': {}`, `3:77: categories are of columns of a source, and the features are a file (write "features": {"csv": "people.csv", "columns": ["id", "age", "colour"]})`},
		{"P/2", `'model': 'mlp', 'features': {'csv': 'absent.csv'}`, `3:57: there is no data file absent.csv`},
		{"P/2", `'share': 'N', 'layers': 2`, `3:45: layers beside "share": it is that of the other network (remove it)`},
	} {
		_, err := parsed(described(test.name, test.inside))
		assert.EqualErrorf(t, err, "m.json:"+test.want, "%s: %s", test.name, test.inside)
	}
	// A class that the network does not have is a mistake in the data.
	src := described("P/2", mlp+`'classes': 2}, 'targets': [['a', 0], ['a', 2]], 'truth': {`)
	_, err := parsed(src)
	if !errors.As(err, new(*facts.Error)) || !strings.Contains(err.Error(), `the network of P has no class "2", which P(a, 2) asks for`) {
		t.Errorf("a class that does not exist: %v", err)
	}
}
