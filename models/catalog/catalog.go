// Package catalog makes networks from descriptions, such as the ones in model files: the name
// of a kind, and numbers.
//
//	define, shape, err := catalog.Define[float32](catalog.Config{Model: "mlp", Hidden: []int{64}, Out: 7}, []int{1433})
//	net, err := nn.New(shape, define, rng)
//	logits, err := net.Forward(x, n)                  // [n][Out]
//
// mlp sees the features of an example as one vector (package mlp). resnet18 sees
// images, {height, width} or {3, height, width}; a vector of a square number is taken
// for a grey image, row by row (package resnet18). So does lenet (package lenet), whose
// images are square. The outputs are logits.
//
// sequential is a list of layers (package sequential).
//
// onnx is the network of an ONNX file (package onnxnet), with a head or as it is.
//
// Register adds further kinds.
//
// A description that does not fit is an error of Define or of nn.New.
package catalog

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/models/lenet"
	"hinge/models/mlp"
	"hinge/models/onnxnet"
	"hinge/models/resnet18"
	"hinge/models/sequential"
	"hinge/nn"
)

// Config describes a network.
type Config struct {
	// Model is one of Models, or onnx for the network of File.
	Model string
	// File is the path of an ONNX file (package onnxnet). Its outputs are the logits, a
	// last Softmax or Sigmoid left out; or, with Head, what a perceptron of Hidden sees.
	File string
	Head bool
	// Hidden lists the widths of the hidden layers; for a resnet18 or lenet, the hidden
	// layers of its head.
	Hidden []int
	// Widths are the channels of the four stages of a resnet18, or behind the three
	// convolutions of a lenet; empty means its default.
	Widths []int
	// Dropout is the probability in [0, 1) of dropping a hidden unit in training.
	Dropout float64
	// Layers are those of a sequential, without the last one.
	Layers []sequential.Layer
	// Out is the number of outputs, at least 1.
	Out int
}

// Define returns the definition of a network for features of a shape, to its logits, and the
// shape of its input. An mlp has the parameters layers.0.weight, layers.0.bias,
// layers.1.weight, …
func Define[T nn.Float](c Config, shape []int) (nn.Definition[T], []int, error) {
	if c.Out < 1 {
		return nil, nil, fmt.Errorf("catalog: %d outputs, want at least one", c.Out)
	}
	if kind, ok := registered[T](c.Model); ok {
		return kind(c, shape)
	}
	head := mlp.Config{Hidden: c.Hidden, Out: c.Out, Dropout: c.Dropout}
	switch c.Model {
	case "mlp":
		width := tensor.ProdInts(shape)
		return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
			return mlp.Apply(b, "layers", x, head)
		}, []int{width}, nil
	case "resnet18":
		r := resnet18.Config{Head: head}
		shape, err := c.images(shape, &r.Channels, r.Widths[:])
		return resnet18.Define[T](r), shape, err
	case "sequential":
		if sequential.SeesImages(c.Layers) {
			var channels int
			var err error
			if shape, err = c.images(shape, &channels, nil); err != nil {
				return nil, nil, err
			}
		}
		_, err := sequential.Plan(c.Layers, shape, c.Out)
		return sequential.Define[T](c.Layers, c.Out), shape, err
	case fromFile:
		file, err := c.load()
		if err != nil {
			return nil, nil, err
		}
		body := onnxnet.Define[T](file)
		return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
			y := body(b, x)
			if c.Head {
				return mlp.Apply(b, "head", y, head)
			}
			if y != nil && y.Shape()[1] != c.Out {
				b.Fail(c.File, "it has %d outputs, want %d; with \"layers\" a head of its own is put on them", y.Shape()[1], c.Out)
			}
			return y
		}, shape, nil
	case "lenet":
		l := lenet.Config{Head: head}
		shape, err := c.images(shape, &l.Channels, l.Widths[:])
		return lenet.Define[T](l), shape, err
	}
	return nil, nil, fmt.Errorf("catalog: no network %q, want one of %v", c.Model, Models())
}

// load reads File, to its logits where nothing is put on it.
func (c *Config) load() (*onnxnet.File, error) {
	file, err := onnxnet.Load(c.File)
	if err == nil && !c.Head {
		file = file.Logits()
	}
	return file, err
}

// Notes are lines to print before a network learns: what of File is read otherwise than it may
// look (see onnxnet.File.Notes), and the drawing of a sequential for features of a shape.
func (c *Config) Notes(shape []int) []string {
	var lines []string
	switch c.Model {
	case fromFile:
		file, err := c.load()
		if err != nil {
			return nil // Define says it
		}
		for _, line := range file.Notes() {
			lines = append(lines, c.File+": "+line)
		}
	case "sequential":
		_, shape, err := Define[float32](*c, shape)
		if err != nil {
			return nil
		}
		steps, err := sequential.Plan(c.Layers, shape, c.Out)
		if err != nil {
			return nil
		}
		for _, step := range steps {
			lines = append(lines, step.String())
		}
	}
	return lines
}

// images are the shape of the images of a network whose channels and widths it sets.
func (c *Config) images(shape []int, channels *int, widths []int) ([]int, error) {
	if len(shape) == 1 {
		side := int(math.Round(math.Sqrt(float64(shape[0]))))
		if side*side != shape[0] {
			return nil, fmt.Errorf("catalog: a %s sees images; %d features are no square of pixels", c.Model, shape[0])
		}
		shape = []int{side, side}
	}
	if len(shape) == 3 {
		*channels = shape[0]
	}
	if len(c.Widths) > 0 && (len(c.Widths) != len(widths) || copy(widths, c.Widths) == 0) {
		return nil, fmt.Errorf("catalog: a %s has %d widths, not %d", c.Model, len(widths), len(c.Widths))
	}
	return shape, nil
}

// Kind makes the definition of a kind of networks, to c.Out logits, for features of a
// shape, and the shape of its input, which has as many numbers. It is called anew for
// every network; what does not fit is an error.
type Kind[T nn.Float] func(c Config, shape []int) (define nn.Definition[T], input []int, err error)

// fromFile is the kind that Config.File describes.
const fromFile = "onnx"

// builtIn are the kinds of this package.
var builtIn = []string{"mlp", "resnet18", "lenet", "sequential"}

var (
	mu    sync.Mutex
	kinds = map[string][]any{} // Kind[float32] and Kind[float64] by name
	names []string
)

// Register gives a kind of networks a name, for one type of numbers: float32 to learn
// with, and float64 too where derivatives are checked. A name that is taken panics.
func Register[T nn.Float](name string, kind Kind[T]) {
	mu.Lock()
	defer mu.Unlock()
	if _, taken := find[T](name); taken || name == "" || name == fromFile || slices.Contains(builtIn, name) {
		panic(fmt.Sprintf("catalog: the name %q of a kind of networks is taken", name))
	}
	if kinds[name] == nil {
		names = append(names, name)
	}
	kinds[name] = append(kinds[name], kind)
}

// Models lists the kinds of networks.
func Models() []string {
	mu.Lock()
	defer mu.Unlock()
	return slices.Concat(builtIn, names)
}

func registered[T nn.Float](name string) (Kind[T], bool) {
	mu.Lock()
	defer mu.Unlock()
	return find[T](name)
}

func find[T nn.Float](name string) (Kind[T], bool) {
	for _, k := range kinds[name] {
		if kind, ok := k.(Kind[T]); ok {
			return kind, true
		}
	}
	return nil, false
}
