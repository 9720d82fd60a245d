// Package catalog makes networks from descriptions, such as those in model files: a
// kind by its name, widths as numbers.
//
//	net, err := catalog.New[float32](catalog.Config{Model: "mlp", Hidden: []int{64}, Out: 7}, []int{1433}, rng)
//	logits, err := net.Forward(x, n)                  // [n][Out]
//
// mlp sees the features of an example as one vector (package mlp). resnet18 sees
// images, {height, width} or {3, height, width}; a vector of a square number is taken
// for a grey image, row by row (package resnet18). The outputs are logits.
//
// What does not fit is an error of New. Networks are used as package nn says.
package catalog

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/nn"
)

// Models lists the kinds of networks.
var Models = []string{"mlp", "resnet18"}

// Config describes a network.
type Config struct {
	// Model is one of Models.
	Model string
	// Hidden lists the widths of the hidden layers, of a resnet18 those of its head.
	Hidden []int
	// Widths are the channels of the four stages of a resnet18; empty means its
	// default.
	Widths []int
	// Dropout is the probability in [0, 1) of dropping a hidden unit in training.
	Dropout float64
	// Out is the number of outputs, at least 1.
	Out int
}

// New makes a network for features of a shape, with parameters drawn from rng. An
// mlp has the parameters layers.0.weight, layers.0.bias, layers.1.weight, …
func New[T nn.Float](c Config, shape []int, rng *rand.Rand) (*nn.Net[T], error) {
	define, shape, err := Define[T](c, shape)
	if err != nil {
		return nil, err
	}
	return nn.New(shape, define, rng)
}

// Define returns the definition of the network that New makes, to its logits, and the
// shape of its input.
func Define[T nn.Float](c Config, shape []int) (nn.Definition[T], []int, error) {
	if c.Out < 1 {
		return nil, nil, fmt.Errorf("catalog: %d outputs, want at least one", c.Out)
	}
	perceptron := mlp.Config{Hidden: c.Hidden, Out: c.Out, Dropout: c.Dropout}
	switch c.Model {
	case "mlp":
		width := 1
		for _, d := range shape {
			width *= d
		}
		return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
			return mlp.Apply(b, "layers", x, perceptron)
		}, []int{width}, nil
	case "resnet18":
		r, shape, err := ResNet18(c, shape)
		return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
			return resnet18.Apply(b, x, r)
		}, shape, err
	}
	return nil, nil, fmt.Errorf("catalog: no network %q, want one of %v", c.Model, Models)
}

// ResNet18 returns the configuration of a description of a resnet18, and the shape of its
// images.
func ResNet18(c Config, shape []int) (resnet18.Config, []int, error) {
	r := resnet18.Config{Head: mlp.Config{Hidden: c.Hidden, Out: c.Out, Dropout: c.Dropout}}
	if len(shape) == 1 {
		side := int(math.Round(math.Sqrt(float64(shape[0]))))
		if side*side != shape[0] {
			return r, nil, fmt.Errorf("catalog: a resnet18 sees images; %d features are no square of pixels", shape[0])
		}
		shape = []int{side, side}
	}
	if len(shape) == 3 {
		r.Channels = shape[0]
	}
	if len(c.Widths) > 0 && copy(r.Widths[:], c.Widths) != len(r.Widths) {
		return r, nil, fmt.Errorf("catalog: %d widths, a resnet18 has %d stages", len(c.Widths), len(r.Widths))
	}
	return r, shape, nil
}
