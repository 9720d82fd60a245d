package nn

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
)

// Layer is one layer of a network in evaluation mode, for programs that write the
// network in another form. Values are numbered: 0 is the input, others are what layers
// return.
type Layer[T Float] struct {
	// Op is the method of Builder, Name its first argument. In and Out are values.
	Op, Name string
	In       []int
	Out      int
	// Shape is the shape of the value Out. The batch size is written as 0 in it, and k times
	// the batch size as −k.
	Shape []int
	// Params are the parameters and buffers, in the order in which the method documents
	// them.
	Params []*Param[T]
	// With are the other arguments of the method: a Conv, a GroupConv, a BatchNorm (whose
	// Residual is the last of In), a Window, an Averaging, a Reducing, a Binary, []int, a number,
	// the numbers []T of a Constant, or the description of a Part.
	With any
}

// Layers lists the layers of a definition over the network's parameters: the definition of
// New, or a part of it, such as the logits below the output. The last layer returns the
// output. An operation that is no layer is listed as "other", with its name and In empty.
func (n *Net[T]) Layers(define Definition[T]) ([]Layer[T], error) {
	lists := make([][]Layer[T], 2)
	for i, batch := range traced {
		b := n.builder(batch, false)
		b.trace = new(tracer[T])
		shape := append([]int{batch}, n.example...)
		x := b.input("input", make([]T, size(shape)), shape)
		b.needs[x] = false
		b.trace.values = map[*gorgonia.Node]int{x: 0}
		out := define(b, x)
		if b.err != nil {
			return nil, b.err
		}
		b.trace.value(out)
		lists[i] = b.trace.layers
		// A definition may end in a value of earlier.
		if last := len(lists[i]); out == nil || last == 0 || lists[i][last-1].Out != b.trace.values[out] {
			return nil, fmt.Errorf("nn: the output is not that of the last layer")
		}
	}
	for i := range lists[0] {
		a, b := lists[0][i].Shape, lists[1][i].Shape
		if !free(a, b) {
			return nil, fmt.Errorf("nn: %s: shapes %v and %v of batches of %v", lists[0][i].Name, a, b, traced)
		}
		if v, ok := lists[0][i].With.([]T); ok && slices.Min(a) > 0 && !slices.Equal(v, lists[1][i].With.([]T)) {
			return nil, fmt.Errorf("nn: %s: the numbers of the constant depend on the batch size", lists[0][i].Name)
		}
		if w, ok := lists[0][i].With.([]int); ok && lists[0][i].Op == "Reshape" {
			free(w, lists[1][i].With.([]int))
		}
	}
	return lists[0], nil
}

// traced are two batch sizes, by which the axes that grow with it are known.
var traced = [2]int{2, 3}

// free marks in a the axes that grow with the batch.
func free(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, d := range a {
		switch k := b[i] - d; {
		case k == 0:
		case k*traced[0] != d:
			return false
		case k == 1:
			a[i] = 0
		default:
			a[i] = -k
		}
	}
	return true
}

// tracer collects the layers of a graph.
type tracer[T Float] struct {
	layers []Layer[T]
	values map[*gorgonia.Node]int
}

// layer notes a layer where they are asked for, and returns its output.
func (b *Builder[T]) layer(op, name string, out *gorgonia.Node, with any, params []*Param[T], in ...*gorgonia.Node) *gorgonia.Node {
	if b.trace == nil || b.err != nil {
		return out
	}
	l := Layer[T]{Op: op, Name: name, With: with, Params: params, Shape: slices.Clone([]int(out.Shape()))}
	for _, x := range in {
		l.In = append(l.In, b.trace.value(x))
	}
	b.trace.add(l, out)
	return out
}

// Part is a part of a network that another program has described: define makes it of x, and
// Layers lists it as one layer "Part" with the description, whose Params are all that define
// declares.
func (b *Builder[T]) Part(name string, with any, x *gorgonia.Node, define Definition[T]) *gorgonia.Node {
	trace := b.trace
	if trace == nil {
		return define(b, x)
	}
	before := make(map[string]bool, len(b.used))
	for name := range b.used {
		before[name] = true
	}
	b.trace = nil
	y := define(b, x)
	b.trace = trace
	var params []*Param[T]
	for _, p := range b.params.list {
		if b.used[p.Name] && !before[p.Name] {
			params = append(params, p)
		}
	}
	if b.err != nil || y == nil {
		return nil
	}
	return b.layer("Part", name, y, with, params, x)
}

// add appends a layer with the next number for its output.
func (t *tracer[T]) add(l Layer[T], out *gorgonia.Node) {
	l.Out = len(t.values)
	t.values[out] = l.Out
	t.layers = append(t.layers, l)
}

// value is the number of a node; one that no layer has returned gets a layer without
// inputs.
func (t *tracer[T]) value(x *gorgonia.Node) int {
	if v, ok := t.values[x]; ok || x == nil {
		return v
	}
	name := x.Name()
	if o, ok := x.Op().(*op[T]); ok {
		name = o.name
	}
	t.add(Layer[T]{Op: "other", Name: name, Shape: slices.Clone([]int(x.Shape()))}, x)
	return t.values[x]
}

// same makes two nodes one value, for layers that do nothing in evaluation.
func (b *Builder[T]) same(out, x *gorgonia.Node) *gorgonia.Node {
	if b.trace != nil && b.err == nil {
		if v, ok := b.trace.values[x]; ok {
			b.trace.values[out] = v
		}
	}
	return out
}
