package onnxnet

import (
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// value is what a name of the graph stands for, for one batch size: integers, which are
// known, or an array. shape is that of ONNX; maps reports whether the node has the layout of
// package nn's maps, [H][W][N][C], for N×C×H×W.
type value[T nn.Float] struct {
	node   *gorgonia.Node // nil for a weight that nobody has asked for yet
	shape  []int
	maps   bool
	weight *tensor // of the file, or of a node Constant
	fixed  bool    // a Constant, which is no parameter
	ints   []int
	whole  bool // integers
	// main is the convolution that reads the value first, for a skip connection.
	main *gorgonia.Node
}

// context makes one graph.
type context[T nn.Float] struct {
	b      *nn.Builder[T]
	f      *File
	values map[string]*value[T]
	done   map[*node]bool // made with an earlier one
	known  map[string]operator[T]
	failed bool
}

type operator[T nn.Float] func(c *context[T], n *node)

// fail reports what does not fit, with the node.
func (c *context[T]) fail(n *node, format string, args ...any) {
	c.failed = true
	c.b.Fail("onnx node "+n.title()+" ("+n.op+")", format, args...)
}

// begin makes the input of the examples.
func (c *context[T]) begin(x *gorgonia.Node) bool {
	want := slices.Clone(c.f.input.shape)
	want[0] = c.b.Batch
	have := []int(x.Shape())
	here := &node{op: "input", name: c.f.input.name}
	if len(want) == 4 && len(have) >= 3 { // images; the examples set the free sides
		for i := range 2 {
			if side := have[len(have)-2+i]; want[2+i] == 0 {
				want[2+i] = side
			}
		}
		if want[1] == 0 {
			want[1] = max(1, product(have[1:len(have)-2]))
		}
	}
	if len(want) == len(have) {
		for i, d := range want {
			if d == 0 {
				want[i] = have[i]
			}
		}
	}
	grey := len(want) == 4 && product(have[1:])*want[1] == product(want[1:])
	if free := slices.Contains(want, 0); free || product(want) != product(have) && !grey {
		c.fail(here, "examples of shape %v do not fit the input %v (0 is free)", have[1:], c.f.input.shape[1:])
		return false
	}
	images := len(want) == 4
	switch {
	case images && grey && want[1] > 1:
		x = c.b.Reshape(here.name, x, want[0], want[2], want[3])
	case !slices.Equal(want, have):
		x = c.b.Reshape(here.name, x, want...)
	}
	if images {
		x = c.b.Images(here.name, x, want[1])
	}
	c.values[here.name] = &value[T]{node: x, shape: want, maps: images}
	return true
}

// input is the value of an input of a node, nil where it is left out.
func (c *context[T]) input(n *node, i int) *value[T] {
	if i >= len(n.in) || n.in[i] == "" {
		return nil
	}
	return c.values[n.in[i]]
}

// set makes a node the first output of an operator.
func (c *context[T]) set(n *node, x *gorgonia.Node, maps bool, shape ...int) {
	c.values[n.out[0]] = &value[T]{node: x, shape: shape, maps: maps}
}

// setInts makes integers the output.
func (c *context[T]) setInts(n *node, ints []int, shape ...int) {
	if ints == nil {
		ints = []int{}
	}
	c.values[n.out[0]] = &value[T]{ints: ints, whole: true, shape: shape}
}

// given is a weight as package nn takes it.
func given[T nn.Float](t *tensor) nn.Tensor[T] {
	out := nn.Tensor[T]{Name: t.name, Shape: t.shape}
	if data, same := any(t.floats).([]T); same {
		out.Data = data
		return out
	}
	for _, v := range t.floats {
		out.Data = append(out.Data, T(v))
	}
	return out
}

// own takes a weight that one node alone reads, in its place for a layer of package nn.
func (c *context[T]) own(n *node, i int) *tensor {
	v := c.input(n, i)
	if v == nil || v.weight == nil || v.fixed || v.whole || v.node != nil || c.f.counts[n.in[i]] != 1 {
		return nil
	}
	return v.weight
}

// constant is the one number of a weight, or nil.
func (v *value[T]) constant() *float64 {
	if v == nil || v.weight == nil || v.whole || v.weight.size() != 1 {
		return nil
	}
	x := float64(v.weight.floats[0])
	return &x
}

// materialise makes the node of a weight: a parameter, or a constant.
func (c *context[T]) materialise(v *value[T]) {
	if v.node != nil || v.weight == nil || c.failed {
		return
	}
	shape := v.shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	data := given[T](v.weight)
	if v.fixed || v.weight.size() < 2 {
		v.node = c.b.Constant("constant "+v.weight.name, data.Data, shape...)
		return
	}
	data.Shape = shape
	c.b.Given(map[string]nn.Tensor[T]{v.weight.name: data})
	v.node = c.b.Parameter(v.weight.name, shape...)
}

// array is the node of a value in the order of ONNX.
func (c *context[T]) array(v *value[T]) *gorgonia.Node {
	c.materialise(v)
	if !v.maps {
		return v.node
	}
	s := v.shape
	if s[2] == 1 && s[3] == 1 {
		return c.b.Reshape("flat", v.node, s...)
	}
	return c.permute("array", v.node, []int{s[2], s[3], s[0], s[1]}, 2, 3, 0, 1)
}

// mapsOf is the node of a value of four axes in the layout of maps.
func (c *context[T]) mapsOf(v *value[T]) *gorgonia.Node {
	c.materialise(v)
	if v.maps {
		return v.node
	}
	s := v.shape
	if s[2] == 1 && s[3] == 1 {
		return c.b.Reshape("maps", v.node, s[2], s[3], s[0], s[1])
	}
	return c.permute("maps", v.node, s, 2, 3, 0, 1)
}

// permute moves axes: axis i of the result is axis order[i] of x.
func (c *context[T]) permute(name string, x *gorgonia.Node, shape []int, order ...int) *gorgonia.Node {
	out := make([]int, len(shape))
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	by := make([]int, len(shape))
	for i, axis := range order {
		out[i], by[i] = shape[axis], strides[axis]
	}
	return c.gather(name, out, 0, by, x)
}

// gather makes an array of elements of x: those at the sum of steps times indices, from an
// offset on.
func (c *context[T]) gather(name string, shape []int, offset int, steps []int, x *gorgonia.Node) *gorgonia.Node {
	index := make([]int, product(shape))
	at := make([]int, len(shape))
	place := offset
	for i := range index {
		index[i] = place
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at[axis]++
			place += steps[axis]
			if at[axis] < shape[axis] {
				break
			}
			place -= steps[axis] * shape[axis]
			at[axis] = 0
		}
	}
	return c.b.Reshape(name, c.b.Gather(name, index, x), shape...)
}

// expand repeats axes of length 1 to a shape of as many axes.
func (c *context[T]) expand(name string, x *gorgonia.Node, from, to []int) *gorgonia.Node {
	if slices.Equal(from, to) {
		return x
	}
	steps := make([]int, len(from))
	step := 1
	for i := len(from) - 1; i >= 0; i-- {
		if from[i] == to[i] {
			steps[i] = step
		}
		step *= from[i]
	}
	return c.gather(name, to, 0, steps, x)
}

// axis counts from the end where it is negative; false where there is none.
func axisOf(axis, rank int) (int, bool) {
	if axis < 0 {
		axis += rank
	}
	return axis, axis >= 0 && axis < rank
}
