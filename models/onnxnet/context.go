package onnxnet

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// value is what a name of the graph stands for, for one batch size. shape is that of ONNX;
// maps reports whether the node has the layout of package nn's maps, [H][W][N][C], for
// N×C×H×W.
type value[T nn.Float] struct {
	node   *gorgonia.Node // nil for an array of the file that nobody has asked for yet
	shape  []int
	maps   bool
	kind   int
	weight *tensor   // that learns
	known  []float64 // the numbers, where they are known before it runs
	next   []float64 // those for a batch of one more, nil where they are the same
	name   string
	at     place
	// uniform are axes along which a node holds the same numbers.
	uniform []int
	// main is the convolution that reads the value first, for a skip connection.
	main *gorgonia.Node
}

func (v *value[T]) whole() bool { return !fractional(v.kind) }

// static reports whether the numbers do not depend on the examples and lie in the file.
func (v *value[T]) static() bool { return v.known != nil || v.weight != nil }

// numbers of an array of the file.
func (v *value[T]) numbers() []float64 {
	if v.known == nil && v.weight != nil {
		return v.weight.numbers()
	}
	return v.known
}

// ints are known integers.
func (v *value[T]) ints() []int {
	if v == nil || v.known == nil {
		return nil
	}
	out := make([]int, len(v.known))
	for i, x := range v.known {
		switch { // the ends of ranges may be beyond all integers
		case x >= math.MaxInt64:
			out[i] = math.MaxInt64
		case x <= math.MinInt64:
			out[i] = math.MinInt64
		default:
			out[i] = int(x)
		}
	}
	return out
}

// one is the one number of a known array, or nil.
func (c *context[T]) one(v *value[T]) *float64 {
	if v == nil || len(v.numbers()) != 1 || v.weight != nil && v.weight.learned && v.known == nil {
		return nil
	}
	c.counts(v)
	return &v.numbers()[0]
}

// counts notes that a number is used that depends on the size of the batch; only shapes may.
func (c *context[T]) counts(v *value[T]) {
	if v.next != nil {
		c.mix("it reads numbers that depend on the size of the batch")
	}
}

// folded is f of the known numbers of some values, for the batch of the graph and for the next.
func folded[T nn.Float](y *value[T], f func(of func(v *value[T]) []float64) []float64, vs ...*value[T]) *value[T] {
	y.known = f(func(v *value[T]) []float64 { return v.known })
	if slices.ContainsFunc(vs, func(v *value[T]) bool { return v.next != nil }) {
		y.next = f(func(v *value[T]) []float64 {
			if v.next != nil {
				return v.next
			}
			return v.known
		})
		if slices.Equal(y.known, y.next) {
			y.next = nil
		}
	}
	return y
}

// context makes one graph.
type context[T nn.Float] struct {
	b      *nn.Builder[T]
	f      *File
	part   *Part
	n      *node // in work
	values map[string]*value[T]
	done   map[*node]bool // made with an earlier one
	made   int            // names of nodes
}

// refused is what fail panics with.
type refused struct{}

// define makes the network. Shapes that a node cannot have, which its operator does not look
// for, are refused with it.
func (c *context[T]) define(x *gorgonia.Node) *gorgonia.Node {
	defer func() {
		if fault := recover(); fault != nil && fault != (refused{}) {
			c.b.Fail(c.place(), "its inputs do not fit it: %v", fault)
		}
	}()
	for name, t := range c.f.weights {
		v := &value[T]{shape: t.shape, kind: t.kind, name: name}
		if t.learned {
			v.weight = t
		} else {
			v.known = t.numbers()
		}
		c.values[name] = v
	}
	c.n = &node{op: "input", name: c.f.input.name}
	c.begin(x)
	table := operators[T]()
	for _, n := range c.f.needed {
		if c.n = n; c.done[n] {
			continue
		}
		if n == c.f.last {
			x := c.in(0)
			if n.op == "Softmax" {
				if _, of := c.chances(x); of*c.b.Batch != product(x.shape) {
					c.fail("a softmax over %d numbers at a time of the shape %v, where one over all outputs follows; put layers on the file, or end it before", of, x.shape)
				}
			}
			c.out(x)
			continue
		}
		table[n.qualified()].make(c)
	}
	out := c.values[c.f.output]
	if len(out.shape) == 0 || out.shape[0] != c.b.Batch || product(out.shape) == 0 {
		c.fail("the output has the shape %v for a batch of %d", out.shape, c.b.Batch)
	}
	if out.at.of == examples && out.at != (place{of: examples, outer: 1, inner: 1}) {
		c.mix("the output %s has the examples elsewhere than on its first axis", c.f.output)
	}
	if c.f.log {
		out = c.mapped(out, logarithm)
	}
	c.part.shape = out.shape
	return c.b.Reshape("onnx output", c.array(out), c.b.Batch, product(out.shape[1:]))
}

// fail refuses the file by what does not fit, with the node: define ends.
func (c *context[T]) fail(format string, args ...any) {
	c.b.Fail(c.place(), format, args...)
	panic(refused{})
}

// place names the node in messages.
func (c *context[T]) place() string { return "onnx node " + c.n.title() + " (" + c.n.op + ")" }

// room refuses arrays of shapes that a file cannot mean: of more than 2²⁸ numbers.
func (c *context[T]) room(shape ...int) {
	const most = 1 << 28
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > most/d {
			c.fail("an array of the shape %v, of less than 0 or more than %d numbers", shape, most)
		}
		n *= d
	}
}

// in is the value of an input of the node, nil where it is left out.
func (c *context[T]) in(i int) *value[T] {
	if i >= len(c.n.in) || c.n.in[i] == "" {
		return nil
	}
	return c.values[c.n.in[i]]
}

// out makes values the outputs of the node, in order.
func (c *context[T]) out(vs ...*value[T]) {
	for i, v := range vs {
		if i < len(c.n.out) && c.n.out[i] != "" && v != nil {
			c.values[c.n.out[i]] = v
		}
	}
}

// label is a name for a node of the graph.
func (c *context[T]) label(what string) string {
	c.made++
	return fmt.Sprintf("%s %s %d", c.n.title(), what, c.made)
}

// constant is an array of known numbers.
func (c *context[T]) constant(kind int, numbers []float64, shape ...int) *value[T] {
	if numbers == nil {
		numbers = []float64{}
	}
	return &value[T]{kind: kind, known: numbers, shape: shape}
}

// begin makes the input of the examples.
func (c *context[T]) begin(x *gorgonia.Node) {
	want := slices.Clone(c.f.input.shape)
	want[0] = c.b.Batch
	have := []int(x.Shape())
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
		c.fail("examples of shape %v do not fit the input %v (0 is free)", have[1:], c.f.input.shape[1:])
	}
	images := len(want) == 4
	switch {
	case images && grey && want[1] > 1:
		x = c.b.Reshape(c.f.input.name, x, want[0], want[2], want[3])
	case !slices.Equal(want, have):
		x = c.b.Reshape(c.f.input.name, x, want...)
	}
	if images {
		x = c.b.Images(c.f.input.name, x, want[1])
	}
	c.part.example = want[1:]
	c.values[c.f.input.name] = &value[T]{node: x, shape: want, maps: images, kind: c.f.input.kind, at: place{of: examples, outer: 1, inner: 1}}
}

// given is a weight as package nn takes it.
func (c *context[T]) given(t *tensor) nn.Tensor[T] {
	out := nn.Tensor[T]{Name: t.name, Shape: t.shape}
	if data, same := any(t.floats).([]T); same && t.floats != nil {
		out.Data = data
		return out
	}
	out.Data = c.typed(t.numbers())
	return out
}

// typed are numbers as those of the network, which have to hold them.
func (c *context[T]) typed(numbers []float64) []T {
	out := make([]T, len(numbers))
	for i, v := range numbers {
		if out[i] = T(v); math.IsInf(float64(out[i]), 0) && !math.IsInf(v, 0) {
			c.fail("the constant %g is beyond the numbers of 32 bits; rescale it", v)
		}
	}
	return out
}

// own takes a weight that the node alone reads, in its place for a layer of package nn.
func (c *context[T]) own(i int) *tensor {
	v := c.in(i)
	if v == nil || v.weight == nil || v.node != nil || c.f.counts[c.n.in[i]] != 1 {
		return nil
	}
	return v.weight
}

// materialise makes the node of an array of the file: a parameter, or a constant.
func (c *context[T]) materialise(v *value[T]) {
	if v.node != nil {
		return
	}
	shape := sides(v.shape)
	if v.weight == nil {
		if len(v.known) == 0 {
			c.fail("an array of shape %v, which holds nothing", v.shape)
		}
		c.counts(v)
		v.node = c.b.Constant(c.label("constant"), c.typed(v.known), shape...)
		return
	}
	data := c.given(v.weight)
	data.Shape = shape
	c.b.Given(map[string]nn.Tensor[T]{v.weight.name: data})
	v.node = c.b.Parameter(v.weight.name, shape...)
}

// sides is the shape of a node, which has one axis where that of ONNX has none.
func sides(shape []int) []int {
	if len(shape) == 0 {
		return []int{1}
	}
	return shape
}

// array is the node of a value in the order of ONNX.
func (c *context[T]) array(v *value[T]) *gorgonia.Node { return c.laid(v, false, "array") }

// mapsOf is the node of a value of four axes in the layout of maps.
func (c *context[T]) mapsOf(v *value[T]) *gorgonia.Node { return c.laid(v, true, "maps") }

// laid is the node of a value in one of the two layouts, a new one of some name where it has the other.
func (c *context[T]) laid(v *value[T], maps bool, name string) *gorgonia.Node {
	c.materialise(v)
	if v.maps == maps {
		return v.node
	}
	s := v.shape
	from, to := s, []int{s[2], s[3], s[0], s[1]}
	if v.maps {
		from, to = to, from
	}
	if s[2] == 1 && s[3] == 1 {
		return c.b.Reshape(c.label(name), v.node, to...)
	}
	return c.indexed(c.label(name), to, transposition(from, 2, 3, 0, 1), v.node)
}

// indexed is an array of elements of nodes, which lie one after the other.
func (c *context[T]) indexed(name string, shape, index []int, xs ...*gorgonia.Node) *gorgonia.Node {
	for i, x := range xs { // each input is a node of its own
		if slices.Index(xs, x) != i {
			xs[i] = c.b.Reshape(c.label("again"), x, x.Shape()...)
		}
	}
	return c.b.Reshape(name, c.b.Gather(name, index, xs...), sides(shape)...)
}

// part of an array, or of several: elements by index, 0 where that is negative.
func (c *context[T]) elements(shape, index []int, vs ...*value[T]) *value[T] {
	y := &value[T]{shape: shape, kind: vs[0].kind}
	known := !slices.ContainsFunc(vs, func(v *value[T]) bool { return v.known == nil })
	if known {
		return folded(y, func(of func(v *value[T]) []float64) []float64 {
			var all []float64
			for _, v := range vs {
				all = append(all, of(v)...)
			}
			out := make([]float64, len(index))
			for i, at := range index {
				if at >= 0 {
					out[i] = all[at]
				}
			}
			return out
		}, vs...)
	}
	if len(index) == 0 { // nothing is known of it, and all
		y.known = []float64{}
		return y
	}
	var nodes []*gorgonia.Node
	for _, v := range vs {
		nodes = append(nodes, c.array(v))
	}
	y.node = c.indexed(c.label("elements"), shape, index, nodes...)
	return y
}
