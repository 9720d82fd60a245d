package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gorgonia.org/gorgonia"
)

// Builder turns a Definition into one gorgonia graph of a fixed batch size, in
// training or evaluation mode. Its methods are the layers: each takes a name,
// which prefixes the names of its parameters, and input nodes, and returns the
// output node. Image-like values are H×W×N×C (height, width, example, channel),
// vectors are N×C.
//
// The first definition run creates and initialises the parameters; later runs
// find them by name, so every graph of a network shares one storage. The first
// error sticks: later calls return nil and the graph is refused with that
// error, so definitions need no checks of their own.
type Builder[T Float] struct {
	// Batch is the number of examples N of this graph.
	Batch int
	// Training tells batch normalisation, dropout and Gumbel noise what to do.
	Training bool
	// Whole tells that a batch is the whole of the examples: the network is of NewWhole.
	Whole bool

	g      *gorgonia.ExprGraph
	params *Params[T]
	rng    *rand.Rand // initialiser; nil once the parameters exist
	state  *State
	used   map[string]bool         // parameters some layer has taken
	needs  map[*gorgonia.Node]bool // results of needsGrad
	joins  map[*op[T]]bool         // convolutions that can take a skip
	folded gorgonia.Nodes          // layers computed by the one behind them
	ops    int
	prefix string // of the names of leaves, where networks share a graph

	learned []learned[T]
	buffers []*Param[T]
	trace   *tracer[T] // of Net.Layers
	given   map[string]Tensor[T]
	coupled string
	err     error
}

// ExprGraph returns the graph under construction, for ops from outside this
// package.
func (b *Builder[T]) ExprGraph() *gorgonia.ExprGraph { return b.g }

// failed reports whether an earlier layer failed.
func (b *Builder[T]) failed(layer string, in ...*gorgonia.Node) bool {
	if b.err == nil && slices.Contains(in, nil) {
		b.Fail(layer, "an input node is nil")
	}
	return b.err != nil
}

// rows returns the number of rows of x and their width, the last axis of x. Without one the layer
// fails, and the width is 0.
func (b *Builder[T]) rows(layer string, x *gorgonia.Node) (rows, width int) {
	if b.failed(layer, x) {
		return 0, 0
	}
	shape := x.Shape()
	if len(shape) == 0 {
		b.Fail(layer, "wants an array, not a single number")
		return 0, 0
	}
	width = shape[len(shape)-1]
	return size(shape) / width, width
}

// apply adds an op to the graph. The node needs a gradient if an input it is
// differentiable by does.
func (b *Builder[T]) apply(o *op[T], shape []int, in ...*gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	b.ops++
	o.id, o.in, o.shape = b.ops, in, shape
	if o.wrt == nil {
		o.wrt = slices.Repeat([]bool{o.diff != nil}, len(in))
	}
	for i, n := range in {
		// An input without parameters upstream gets no gradient op: gorgonia
		// would compute it all the same.
		o.wrt[i] = o.wrt[i] && b.needsGrad(n)
	}
	b.open(o)
	n, err := gorgonia.ApplyOp(o, in...)
	if err != nil {
		return b.Fail(o.name, "%v", err)
	}
	b.needs[n] = slices.Contains(o.wrt, true)
	return n
}

// needsGrad reports whether a gradient by n is wanted: a trainable parameter, or
// an input node from outside this package, is upstream.
func (b *Builder[T]) needsGrad(n *gorgonia.Node) bool {
	if need, known := b.needs[n]; known {
		return need
	}
	children := b.g.From(n.ID())
	need := children.Len() == 0 && n.Op() == nil
	for !need && children.Next() {
		need = b.needsGrad(children.Node().(*gorgonia.Node))
	}
	b.needs[n] = need
	return need
}

// reads tells what the gradient of an op with one input is computed of besides dy.
type reads uint8

const (
	readsX reads = 1 << iota
	readsY
)

// unary adds an op of one input: run computes its output of x, and back the gradient of x. A slice
// that back does not read is nil for it. What run leaves for back orders the two where back reads y.
func (b *Builder[T]) unary(name string, x *gorgonia.Node, shape []int, run func(x, y []T) error, of reads, back func(dy, x, y, dx []T)) *gorgonia.Node {
	o := &op[T]{name: name, run: func(in [][]T, out []T) error { return run(in[0], out) }}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		in := []*gorgonia.Node{dy}
		if of&readsX != 0 {
			in = append(in, x)
		}
		if of&readsY != 0 {
			in = append(in, y)
		}
		return gorgonia.Nodes{b.gradient("dx "+name, x.Shape(), func(in [][]T, dx []T) {
			var x, y []T
			if of&readsX != 0 {
				x = in[1]
			}
			if of&readsY != 0 {
				y = in[len(in)-1]
			}
			back(in[0], x, y, dx)
		}, in...)}
	}
	y = b.apply(o, shape, x)
	return y
}

// gradient adds an op of the backward pass. Shapes were checked when the
// forward op was made, so an error is a mistake in this package.
func (b *Builder[T]) gradient(name string, shape []int, run func(in [][]T, out []T), in ...*gorgonia.Node) *gorgonia.Node {
	return b.gradientOp(&op[T]{name: name, run: always(run)}, shape, in...)
}

// always makes a run of a function that has no errors.
func always[T Float](run func(in [][]T, out []T)) func(in [][]T, out []T) error {
	return func(in [][]T, out []T) error { run(in, out); return nil }
}

func (b *Builder[T]) gradientOp(o *op[T], shape []int, in ...*gorgonia.Node) *gorgonia.Node {
	b.ops++
	o.id, o.in, o.shape, o.wrt = b.ops, in, shape, make([]bool, len(in))
	n, err := gorgonia.ApplyOp(o, in...)
	if err != nil {
		panic(fmt.Sprintf("nn: %s: %v", o.name, err))
	}
	return n
}

// paramGradient is gradient for the gradient by a parameter, which is written
// straight to Param.Grad.
func (b *Builder[T]) paramGradient(name string, p *Param[T], run func(in [][]T, out []T), in ...*gorgonia.Node) *gorgonia.Node {
	return b.gradientOp(&op[T]{name: name, run: always(run), data: p.grad()}, []int{len(p.Value)}, in...)
}

// pick adds a node that yields data, which the op behind after has filled. With
// nil data, that op fills the buffer of the new node's op.
func (b *Builder[T]) pick(name string, data []T, shape []int, after *gorgonia.Node) *gorgonia.Node {
	return b.gradientOp(&op[T]{name: name, data: data}, shape, after)
}

// declare finds or creates a parameter or buffer.
func (b *Builder[T]) declare(spec Param[T], init initialiser[T]) *Param[T] {
	given, have := b.given[spec.Name]
	if have {
		spec.Name = given.Name
	}
	p := b.params.Get(spec.Name)
	switch {
	case have && p == nil && (!slices.Equal(given.Shape, spec.Shape) || size(given.Shape) != len(given.Data)):
		b.Fail(spec.Name, "%d numbers of shape %v, want shape %v", len(given.Data), given.Shape, spec.Shape)
	case b.err != nil:
	case b.used[spec.Name]:
		b.Fail(spec.Name, "used by two layers")
	case p == nil && b.rng == nil:
		b.Fail(spec.Name, "the parameter was not there in the first run of the definition, or that had no generator to draw it")
	case p == nil:
		p = b.params.add(&spec)
		if init(p.Value, b.rng); have {
			p.StorageOrder(p.Value, given.Data)
		}
	case !slices.Equal(p.Shape, spec.Shape):
		b.Fail(spec.Name, "shape %v, but %v in the first run of the definition", spec.Shape, p.Shape)
	}
	if b.err != nil {
		return nil
	}
	b.used[spec.Name] = true
	if p.Buffer {
		b.buffers = append(b.buffers, p)
	}
	return p
}

// param declares a learned parameter and adds its node: a vector over the
// parameter's storage, all of which is live unless spec says which ranges are.
// Both are nil after an error, with which apply makes nothing.
func (b *Builder[T]) param(spec Param[T], init initialiser[T]) (*Param[T], *gorgonia.Node) {
	p := b.declare(spec, init)
	if p == nil {
		return nil, nil
	}
	if spec.Live == nil {
		spec.Live = []Range{{Lo: 0, Hi: len(p.Value)}}
	}
	p.addLive(spec.Live)
	n := b.input(p.Name, p.Value, []int{len(p.Value)})
	if n.Value() == nil || &values[T](n.Value())[0] != &p.Value[0] {
		b.Fail(p.Name, "the graph has an input of this name already, and gorgonia takes the two for one")
		return nil, nil
	}
	b.needs[n] = p.Trainable
	if p.Trainable {
		b.learned = append(b.learned, learned[T]{p, n})
	}
	return p, n
}

// input adds a node over data.
func (b *Builder[T]) input(name string, data []T, shape []int) *gorgonia.Node {
	return gorgonia.NewTensor(b.g, dtypeOf[T](), len(shape), gorgonia.WithName(b.prefix+name),
		gorgonia.WithShape(shape...), gorgonia.WithValue(valueOf(data, shape)))
}

// last returns the graph with an op behind all others that reads the nodes to keep, all inputs
// of the graph, and what operations from outside this package read: those may write their
// result over an input that nothing reads any more.
func (b *Builder[T]) last(g *gorgonia.ExprGraph, keep gorgonia.Nodes) *gorgonia.ExprGraph {
	reads, roots := slices.Clone(keep), gorgonia.Nodes(nil)
	for _, n := range g.AllNodes() {
		if isLeaf(g, n) && n.Op() == nil {
			reads = append(reads, n)
		}
		if _, ours := n.Op().(*op[T]); !ours {
			for _, in := range children(n) {
				if source[T](in) != nil {
					reads = append(reads, in)
				}
			}
		}
		if g.To(n.ID()).Len() == 0 {
			roots = append(roots, n)
		}
	}
	var distinct gorgonia.Nodes
	for _, n := range slices.Concat(roots, reads) {
		if !slices.Contains(distinct, n) {
			distinct = append(distinct, n)
		}
	}
	end := b.gradientOp(&op[T]{name: "end"}, []int{1}, distinct...)
	return g.ExactSubgraphRoots(end)
}

// needed returns the graph without the layers that nothing reads any more, because the
// batch normalisation or ReLU behind them does their work.
func (b *Builder[T]) needed(output *gorgonia.Node) *gorgonia.ExprGraph {
	if len(b.folded) == 0 {
		return b.g
	}
	dead := make(map[*gorgonia.Node]bool)
	for _, n := range b.folded {
		dead[n] = n != output && b.g.To(n.ID()).Len() == 0
	}
	var roots gorgonia.Nodes
	for _, n := range b.g.AllNodes() {
		if b.g.To(n.ID()).Len() == 0 && !dead[n] {
			roots = append(roots, n)
		}
	}
	return b.g.ExactSubgraphRoots(roots...)
}

// learned is a trainable parameter with its node in one graph.
type learned[T Float] struct {
	param *Param[T]
	node  *gorgonia.Node
}

// Fail reports what does not fit in a definition, as layers do: the graph is refused with
// the first such error. It returns nil, the output of such a layer.
func (b *Builder[T]) Fail(layer, format string, args ...any) *gorgonia.Node {
	if b.err == nil {
		b.err = fmt.Errorf("nn: %s: %s", layer, fmt.Sprintf(format, args...))
	}
	return nil
}

// Couple tells that an example's outputs depend on the other examples of its batch, and how.
// New refuses such a network; NewWhole makes it.
func (b *Builder[T]) Couple(layer, format string, args ...any) {
	if b.coupled == "" {
		b.coupled = fmt.Sprintf("nn: %s: %s", layer, fmt.Sprintf(format, args...))
	}
}
