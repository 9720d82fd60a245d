package catalog

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"hinge/models/sequential"
	"hinge/nn"
)

// newNet is the network of a description.
func newNet[T nn.Float](c Config, shape []int) (*nn.Net[T], error) {
	define, shape, err := Define[T](c, shape)
	if err != nil {
		return nil, err
	}
	return nn.New(shape, define, rand.New(rand.NewPCG(1, 1)))
}

// mlpFile is a network of another framework.
const mlpFile = "../onnxnet/testdata/mlp.onnx"

// TestDefine: every kind gives logits for every shape of features that it takes.
func TestDefine(t *testing.T) {
	for _, test := range []struct {
		c     Config
		shape []int
		count int // of parameters; 0 does not say
	}{
		{Config{Model: "mlp", Out: 3}, []int{5}, 5*3 + 3},
		{Config{Model: "mlp", Hidden: []int{4, 2}, Dropout: 0.5, Out: 1}, []int{2, 3}, 6*4 + 4 + 4*2 + 2 + 2 + 1},
		{Config{Model: "resnet18", Widths: []int{1, 1, 2, 2}, Out: 3}, []int{8, 8}, 0},
		{Config{Model: "resnet18", Widths: []int{1, 1, 2, 2}, Hidden: []int{4}, Out: 3}, []int{64}, 0},
		{Config{Model: "resnet18", Widths: []int{1, 1, 2, 2}, Out: 3}, []int{3, 8, 8}, 0},
		{Config{Model: "lenet", Widths: []int{1, 2, 3}, Hidden: []int{4}, Out: 3}, []int{144}, 0},
		{Config{Model: "lenet", Out: 3}, []int{3, 12, 12}, 0},
		{Config{Model: "sequential", Layers: []sequential.Layer{{Kind: "conv", Out: 2}, {Kind: "average"}}, Out: 3}, []int{36}, 2*9 + 2 + 2*3 + 3},
		{Config{Model: "sequential", Layers: []sequential.Layer{{Kind: "norm"}, {Kind: "conv", Out: 2}, {Kind: "average"}}, Out: 3}, []int{36}, 2 + 2*9 + 2 + 2*3 + 3},
		{Config{Model: "sequential", Layers: []sequential.Layer{{Kind: "linear", Out: 4}, {Kind: "relu"}}, Out: 3}, []int{6, 6}, 36*4 + 4 + 4*3 + 3},
		{Config{Model: "onnx", File: mlpFile, Out: 5}, []int{8}, 0},
		{Config{Model: "onnx", File: mlpFile, Head: true, Hidden: []int{5}, Out: 2}, []int{8}, 0},
	} {
		net, err := newNet[float32](test.c, test.shape)
		if err != nil {
			t.Errorf("%+v, %v: %v", test.c, test.shape, err)
			continue
		}
		width := 1
		for _, d := range test.shape {
			width *= d
		}
		y, err := net.Forward(make([]float32, 2*width), 2)
		if err != nil || len(y) != 2*test.c.Out {
			t.Errorf("%+v, %v: %d logits, %v", test.c, test.shape, len(y), err)
		}
		if n := net.Params().Count(); test.count > 0 && n != test.count {
			t.Errorf("%+v, %v: %d parameters, want %d", test.c, test.shape, n, test.count)
		}
	}
	for _, test := range []struct {
		c     Config
		shape []int
		want  string
	}{
		{Config{Model: "cnn", Out: 1}, []int{5}, `catalog: no network "cnn", want one of [mlp resnet18 lenet sequential]`},
		{Config{Model: "mlp"}, []int{5}, "catalog: 0 outputs, want at least one"},
		{Config{Model: "resnet18", Out: 1}, []int{5}, "catalog: a resnet18 sees images; 5 features are no square of pixels"},
		{Config{Model: "sequential", Layers: []sequential.Layer{{Kind: "pool"}}, Out: 1}, []int{5}, "catalog: a sequential sees images; 5 features are no square of pixels"},
		{Config{Model: "onnx", File: mlpFile, Out: 9}, []int{8}, "it has 5 outputs, want 9"},
		{Config{Model: "onnx", File: "none.onnx", Out: 9}, []int{6}, "none.onnx"},
		{Config{Model: "resnet18", Out: 1, Widths: []int{1}}, []int{4}, "catalog: a resnet18 has 4 widths, not 1"},
	} {
		if _, err := newNet[float32](test.c, test.shape); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v, %v: %v, want %s", test.c, test.shape, err, test.want)
		}
	}
}

// TestRegister: a kind of one's own is one of the catalogue, for the type that it is for.
func TestRegister(t *testing.T) {
	Register("double", func(c Config, shape []int) (nn.Definition[float32], []int, error) {
		if len(shape) != 1 {
			return nil, nil, errors.New("double: want vectors")
		}
		return func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("second", b.ReLU("relu", b.Linear("first", x, c.Hidden[0])), c.Out)
		}, shape, nil
	})
	net, err := newNet[float32](Config{Model: "double", Hidden: []int{4}, Out: 3}, []int{5})
	if err != nil || net.Params().Count() != 5*4+4+4*3+3 || Models()[4] != "double" {
		t.Errorf("%v, %v", err, Models())
	}
	if _, err := newNet[float64](Config{Model: "double", Out: 3}, []int{5}); err == nil {
		t.Error("made of float64, which was not registered")
	}
	if _, err := newNet[float32](Config{Model: "double", Out: 3}, []int{5, 2}); err == nil || err.Error() != "double: want vectors" {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was given twice")
		}
	}()
	Register("mlp", func(Config, []int) (nn.Definition[float32], []int, error) { return nil, nil, nil })
}
