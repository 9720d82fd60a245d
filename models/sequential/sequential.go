package sequential

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Kinds are the possible values of Layer.Kind.
var Kinds = []string{"conv", "norm", "relu", "pool", "average", "linear", "dropout", "sequence", "attention"}

// Layer is one layer. The package comment lists which fields a kind has; 0 means the default, but for
// Padding, where −1 does.
type Layer struct {
	Kind                       string
	Out, Size, Stride, Padding int
	Length                     int
	Probability                float64
}

// Step is a layer of a plan: its description, the shape of one example behind it and the number of
// its parameters.
type Step struct {
	Name       string
	Shape      []int
	Parameters int
}

// String is a line of a drawing, such as "conv 16 3×3        16×28×28      160 parameters".
func (s Step) String() string {
	sides := make([]string, len(s.Shape))
	for i, d := range s.Shape {
		sides[i] = fmt.Sprint(d)
	}
	line := fmt.Sprintf("%-18s %-12s", s.Name, strings.Join(sides, "×"))
	if s.Parameters > 0 {
		line += fmt.Sprintf(" %d parameters", s.Parameters)
	}
	return strings.TrimRight(line, " ")
}

// resolved is a layer without defaults.
func (l Layer) resolved() Layer {
	switch l.Kind {
	case "conv":
		l.Size = cmp.Or(l.Size, 3)
		if l.Padding < 0 {
			l.Padding = l.Size / 2
		}
		l.Stride = max(l.Stride, 1)
	case "pool":
		l.Padding = 0
		l.Size = cmp.Or(l.Size, 2)
		l.Stride = cmp.Or(l.Stride, l.Size)
	}
	return l
}

// Plan returns the layers with their shapes, the last one to out outputs, for examples of a shape; of
// images as channels, height and width. It is an error where a layer does not fit.
func Plan(layers []Layer, shape []int, out int) ([]Step, error) {
	if out < 1 {
		return nil, fmt.Errorf("sequential: %d outputs, want at least one", out)
	}
	switch len(shape) {
	case 1:
	case 2:
		shape = []int{1, shape[0], shape[1]}
	case 3:
		shape = slices.Clone(shape)
	default:
		return nil, fmt.Errorf("sequential: examples of shape %v, want a vector or images", shape)
	}
	if len(shape) == 3 && !SeesImages(layers) {
		shape = []int{shape[0] * shape[1] * shape[2]} // perceptrons see images as vectors
	}
	var steps []Step
	for i, l := range layers {
		step, err := l.resolved().step(shape)
		if err != nil {
			return nil, fmt.Errorf("sequential: layer %d, %s: %w", i+1, l.Kind, err)
		}
		if l.Kind == "conv" && biased(layers, i) {
			step.Parameters += l.Out
		}
		shape = step.Shape
		steps = append(steps, step)
	}
	if len(shape) != 1 {
		return nil, fmt.Errorf("sequential: the outputs need a vector, and the layers leave %s: end with average", name(shape))
	}
	return append(steps, Step{fmt.Sprintf("outputs %d", out), []int{out}, (shape[0] + 1) * out}), nil
}

// SeesImages reports whether layers see images as such: whether conv, pool or average comes before
// linear and sequence, which see them as vectors.
func SeesImages(layers []Layer) bool {
	i := slices.IndexFunc(layers, func(l Layer) bool {
		return slices.Contains([]string{"conv", "pool", "average", "linear", "sequence"}, l.Kind)
	})
	return i >= 0 && layers[i].Kind != "linear" && layers[i].Kind != "sequence"
}

// biased reports whether convolution i has a bias: not if a normalisation follows, which has one.
func biased(layers []Layer, i int) bool { return i+1 == len(layers) || layers[i+1].Kind != "norm" }

// name says what a shape is of.
func name(shape []int) string {
	switch len(shape) {
	case 1:
		return fmt.Sprintf("a vector of %d", shape[0])
	case 2:
		return fmt.Sprintf("a sequence of %d×%d", shape[0], shape[1])
	}
	return fmt.Sprintf("images of %d×%d×%d", shape[0], shape[1], shape[2])
}

// step is the layer behind a shape.
func (l Layer) step(in []int) (Step, error) {
	wants := func(what string) (Step, error) { return Step{}, fmt.Errorf("wants %s, not %s", what, name(in)) }
	switch l.Kind {
	case "conv", "pool":
		if len(in) != 3 {
			return wants("images")
		}
		if l.Size < 1 || l.Stride < 1 || l.Padding < 0 || 2*l.Padding > l.Size {
			return Step{}, fmt.Errorf("size %d, stride %d, padding %d: want a size and a stride of at least 1, and a padding of at most half the size", l.Size, l.Stride, l.Padding)
		}
		shape := []int{in[0], (in[1]+2*l.Padding-l.Size)/l.Stride + 1, (in[2]+2*l.Padding-l.Size)/l.Stride + 1}
		if in[1]+2*l.Padding < l.Size || in[2]+2*l.Padding < l.Size {
			return Step{}, fmt.Errorf("squares of %d×%d pixels do not fit into %s", l.Size, l.Size, name(in))
		}
		if l.Kind == "pool" {
			return Step{fmt.Sprintf("pool %d×%d", l.Size, l.Size), shape, 0}, nil
		}
		if l.Out < 1 {
			return Step{}, fmt.Errorf("%d channels, want at least one", l.Out)
		}
		shape[0] = l.Out
		return Step{fmt.Sprintf("conv %d %d×%d", l.Out, l.Size, l.Size), shape, l.Out * in[0] * l.Size * l.Size}, nil
	case "norm":
		if len(in) == 2 {
			return wants("images or a vector")
		}
		return Step{"norm", in, 2 * in[0]}, nil
	case "relu":
		return Step{"relu", in, 0}, nil
	case "dropout":
		if !(l.Probability > 0 && l.Probability < 1) {
			return Step{}, fmt.Errorf("the probability %v is not between 0 and 1", l.Probability)
		}
		return Step{fmt.Sprintf("dropout %v", l.Probability), in, 0}, nil
	case "average":
		switch len(in) {
		case 2:
			return Step{"average", in[1:], 0}, nil
		case 3:
			return Step{"average", in[:1], 0}, nil
		}
		return wants("images or a sequence")
	case "linear":
		if len(in) == 3 {
			return wants("a vector or a sequence (average makes a vector of images)")
		}
		if l.Out < 1 {
			return Step{}, fmt.Errorf("%d outputs, want at least one", l.Out)
		}
		last := len(in) - 1
		shape := append(slices.Clone(in[:last]), l.Out)
		return Step{fmt.Sprintf("linear %d", l.Out), shape, (in[last] + 1) * l.Out}, nil
	case "sequence":
		if len(in) != 1 {
			return wants("a vector")
		}
		if l.Length < 1 || in[0]%l.Length != 0 {
			return Step{}, fmt.Errorf("%d parts, which must divide the width %d of the vector", l.Length, in[0])
		}
		return Step{fmt.Sprintf("sequence %d", l.Length), []int{l.Length, in[0] / l.Length}, 0}, nil
	case "attention":
		if len(in) != 2 {
			return wants("a sequence")
		}
		return Step{"attention", in, 4 * (in[1] + 1) * in[1]}, nil
	}
	return Step{}, fmt.Errorf("there is no such layer; there are %s", strings.Join(Kinds, ", "))
}

// Define is the network of layers to its out logits.
func Define[T nn.Float](layers []Layer, out int) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
		n := x.Shape()[0]
		if _, err := Plan(layers, x.Shape()[1:], out); err != nil {
			b.Fail("layers", "%v", err)
			return nil
		}
		images := SeesImages(layers)
		switch shape := x.Shape(); {
		case len(shape) == 2:
		case images && len(shape) == 4:
			x = b.Images("input", x, shape[1])
		case images:
			x = b.Images("input", x, 1)
		default:
			x = b.Reshape("input", x, n, shape.TotalSize()/n)
		}
		for i, l := range layers {
			x = apply(b, fmt.Sprint(i), x, n, l.resolved())
			if l.Kind == "conv" && biased(layers, i) {
				x = b.Bias(fmt.Sprint(i), x)
			}
		}
		return b.Linear("out", x, out)
	}
}

// apply puts a layer on x: images [H][W][N][C], a vector [N][W] or a sequence [N][L][W].
func apply[T nn.Float](b *nn.Builder[T], name string, x *gorgonia.Node, n int, l Layer) *gorgonia.Node {
	if x == nil {
		return nil
	}
	switch l.Kind {
	case "conv":
		return b.Conv(name, x, nn.Conv{Out: l.Out, Kernel: l.Size, Stride: l.Stride, Pad: l.Padding})
	case "norm":
		return b.BatchNorm(name, x, nn.BatchNorm{})
	case "relu":
		return b.ReLU(name, x)
	case "pool":
		return b.MaxPool(name, x, l.Size, l.Stride, 0)
	case "average":
		if x.Dims() == 3 {
			return b.Reduce(name, nn.ReduceMean, x, 1)
		}
		return b.GlobalAvgPool(name, x)
	case "linear":
		return linear(b, name, x, l.Out)
	case "dropout":
		return b.Dropout(name, x, l.Probability)
	case "sequence":
		return b.Reshape(name, x, n, l.Length, x.Shape()[1]/l.Length)
	}
	return attention(b, name, x)
}

// linear is a linear layer of a vector or of each position of a sequence.
func linear[T nn.Float](b *nn.Builder[T], name string, x *gorgonia.Node, out int) *gorgonia.Node {
	s := x.Shape().Clone()
	if len(s) == 2 {
		return b.Linear(name, x, out)
	}
	y := b.Linear(name, b.Reshape(name+" rows", x, s[0]*s[1], s[2]), out)
	return b.Reshape(name+" positions", y, s[0], s[1], out)
}

// attention adds to x what each position takes from all others.
func attention[T nn.Float](b *nn.Builder[T], name string, x *gorgonia.Node) *gorgonia.Node {
	s := x.Shape().Clone()
	n, length, width := s[0], s[1], s[2]
	q, k, v := linear(b, name+".q", x, width), linear(b, name+".k", x, width), linear(b, name+".v", x, width)
	turned := make([]int, n*length*width) // k with its last two axes exchanged
	for i := range n {
		for d := range width {
			for p := range length {
				turned[(i*width+d)*length+p] = (i*length+p)*width + d
			}
		}
	}
	kt := b.Reshape(name+" turned", b.Gather(name+" turn", turned, k), n, width, length)
	scale := 1 / math.Sqrt(float64(width))
	scores := b.Map(name+" scale", b.MatMul(name+" scores", q, kt), nn.Scalar{
		Name: "scale", Value: func(x float64) float64 { return scale * x }, Differential: func(float64, float64) float64 { return scale },
	})
	taken := b.MatMul(name+" taken", b.Attention(name+" weights", scores), v)
	return b.Combine(name+" sum", nn.Add, x, linear(b, name+".w", taken, width))
}
