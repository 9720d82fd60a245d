package nn

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Graph is one gorgonia graph of a network for a fixed batch size, and the tape
// machine that runs it.
//
//	g, err := net.Graph(64, true)      // training mode
//	loss := ...                        // any scalar expression over g.Output
//	err = g.Compile(loss)              // adds the backward pass
//	err = g.Run(x)                     // x is [64][example...]
//	for _, p := range net.Params().Trainable() { use(p.Value, p.Grad) }
//
// The loss may contain ops from anywhere on nodes of the same ExprGraph, with
// their own further inputs, and may be a float64 scalar though the network is
// float32: only an op that reads float32 and writes float64 (with a SymDiff
// that goes the other way) is needed between them. Beware that gorgonia keeps
// its constants by printed value alone: a graph must not hold the constant 1
// both as float32 and as float64.
//
// A Graph must not be used by two goroutines at once, nor run at the same time
// as another graph of its network.
type Graph[T Float] struct {
	// Input is bound to the examples, [N][example...]; with several networks (see Join), to
	// the first network's examples. Output is what the definition returned.
	Input, Output *gorgonia.Node

	b     *Builder[T]
	x     []T
	vm    gorgonia.VM
	ours  *buffers[T] // of the ops of this package
	alone bool        // there are no others: the graph can be replayed
	ran   bool        // to the end
	loss  *gorgonia.Node
	grads gorgonia.Nodes // of b.learned
}

// Graph builds a new graph for batch examples: it runs the definition once. Callers keep
// and reuse it: its memory lives as long as it does.
func (n *Net[T]) Graph(batch int, training bool) (*Graph[T], error) {
	if batch < 1 {
		return nil, fmt.Errorf("nn: batch size %d is not positive", batch)
	}
	if n.held != nil && !training {
		return n.held.Graph(batch, false)
	}
	b := n.builder(batch, training)
	x := make([]T, batch*size(n.example))
	in, out, err := n.run(b, x)
	if err != nil {
		return nil, err
	}
	return &Graph[T]{Input: in, Output: out, b: b, x: x}, nil
}

// builder makes the builder of a graph of its own.
func (n *Net[T]) builder(batch int, training bool) *Builder[T] {
	return &Builder[T]{
		Batch: batch, Training: training, Whole: n.whole,
		g: gorgonia.NewGraph(), params: &n.params, rng: n.rng, state: n.state,
		used: make(map[string]bool), needs: make(map[*gorgonia.Node]bool), joins: make(map[*op[T]]bool),
	}
}

// run adds the network to the builder's graph, with an input node over x.
func (n *Net[T]) run(b *Builder[T], x []T) (in, out *gorgonia.Node, err error) {
	shape := append([]int{b.Batch}, n.example...)
	in = b.input("input", x, shape)
	b.needs[in] = false
	out = n.define(b, in)
	if b.err == nil && out == nil {
		b.Fail("definition", "returned no output")
	}
	if b.err != nil {
		return nil, nil, b.err
	}
	if s := out.Shape(); len(s) < 2 || s[len(s)-2] != b.Batch {
		return nil, nil, fmt.Errorf("nn: the output's shape %v does not have the batch size %d as its last axis but one", s, b.Batch)
	}
	return in, out, nil
}

// NoNetwork makes a graph without a network, for a loss that has other inputs: Input and Output
// are nil, and Run takes no numbers.
func NoNetwork[T Float]() *Graph[T] {
	return &Graph[T]{b: &Builder[T]{Training: true, g: gorgonia.NewGraph(), params: new(Params[T])}}
}

// Builder returns the graph's builder, to put further layers or losses of this
// package on Output before Compile.
func (g *Graph[T]) Builder() *Builder[T] { return g.b }

// ExprGraph returns the gorgonia graph.
func (g *Graph[T]) ExprGraph() *gorgonia.ExprGraph { return g.b.g }

// Nodes returns the nodes of the trainable parameters, in the order of
// Params.Trainable. Each is a vector over the parameter's storage.
func (g *Graph[T]) Nodes() gorgonia.Nodes {
	out := make(gorgonia.Nodes, len(g.b.learned))
	for i, l := range g.b.learned {
		out[i] = l.node
	}
	return out
}

// Compile differentiates loss by every trainable parameter and by the nodes
// wrt, whose gradient nodes it returns, and makes the graph ready to Run. If the loss does not
// depend on some of these, the error names them. With a nil loss the graph runs forward only. It
// must be called once.
func (g *Graph[T]) Compile(loss *gorgonia.Node, wrt ...*gorgonia.Node) (gorgonia.Nodes, error) {
	if g.b.err != nil {
		return nil, g.b.err
	}
	if g.vm != nil {
		return nil, fmt.Errorf("nn: Compile called twice")
	}
	for _, n := range g.b.g.AllNodes() {
		if n.Deriv() != nil || len(n.DerivOf()) > 0 {
			return nil, fmt.Errorf("nn: node %v has been differentiated before Compile, and gorgonia adds a second gradient to the first; leave gorgonia.Grad out and give Compile the nodes to differentiate by", n)
		}
	}
	if err := checkStock(g.b.g); err != nil {
		return nil, err
	}
	var extra gorgonia.Nodes
	if loss != nil {
		if t := loss.Type(); t != tensor.Float32 && t != tensor.Float64 {
			return nil, fmt.Errorf("nn: the loss must be a scalar, not %v", t)
		}
		all, err := differentiate(loss, append(g.Nodes(), wrt...))
		if err == nil {
			err = checkStock(g.b.g) // the gradients' own nodes
		}
		if err != nil {
			return nil, fmt.Errorf("nn: differentiating the loss: %w", err)
		}
		g.loss, g.grads, extra = loss, all[:len(g.b.learned)], all[len(g.b.learned):]
		for _, l := range g.b.learned {
			l.param.grad()
		}
	}
	if err := checkHashes[T](g.b.g); err != nil {
		return nil, err
	}
	graph := g.b.needed(g.Output)
	keep := slices.Clone(g.grads)
	if g.Output != nil {
		keep = append(keep, g.Output)
	}
	if loss != nil {
		keep = append(keep, loss)
	}
	keep = append(keep, extra...)
	ours := allOurs[T](graph)
	if !ours {
		graph = g.b.last(graph, keep)
	}
	m := shareBuffers[T](graph, keep)
	g.vm = NewMachine(graph)
	g.ours, g.alone = m, ours
	return extra, nil
}

// differentiate is gorgonia.Grad, but returns an error where that panics, and one that names what
// the loss does not depend on.
func differentiate(loss *gorgonia.Node, wrt gorgonia.Nodes) (grads gorgonia.Nodes, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("gorgonia: %v", fault)
		}
	}()
	if len(wrt) == 0 {
		return nil, nil
	}
	grads, err = gorgonia.Grad(loss, wrt...)
	var apart gorgonia.SymDiffError
	if errors.As(err, &apart) && len(apart.Nodes()) > 0 {
		var names []string
		for _, n := range apart.Nodes() {
			names = append(names, n.Name())
		}
		slices.Sort(names)
		return nil, fmt.Errorf("it does not depend on %s; freeze such parameters (Params.Freeze) before the graph is built", abbreviate(names))
	}
	return grads, err
}

// checkHashes reports two nodes that gorgonia's common subexpression
// elimination would merge although they differ: its node hash has 32 bits.
func checkHashes[T Float](g *gorgonia.ExprGraph) error {
	seen := make(map[uint32]*gorgonia.Node)
	for _, n := range g.AllNodes() {
		old := seen[n.Hashcode()]
		seen[n.Hashcode()] = n
		if old == nil || old == n {
			continue
		}
		_, mine := n.Op().(*op[T])
		_, others := old.Op().(*op[T])
		if mine || others {
			return fmt.Errorf("nn: nodes %v and %v have the same hash %#x; rename a layer", old, n, n.Hashcode())
		}
	}
	return nil
}

// Run copies x, [N][example...], to Input and executes the graph: forward, and
// backward if Compile got a loss. Afterwards Param.Grad of every trainable
// parameter is the gradient of this run. After an error no gradient should be
// used, and running statistics have got as far as the run did. An output that is not a number
// is a DivergedError where the graph has no loss.
func (g *Graph[T]) Run(x []T) error {
	if err := g.run(x); err != nil || g.loss != nil {
		return err
	}
	if err := diverged(g.Result(), x, g.Output, g.b.Batch); err != nil {
		return err
	}
	return nil
}

// run is Run for outputs that may be anything.
func (g *Graph[T]) run(x []T) error {
	if g.vm == nil {
		return fmt.Errorf("nn: Run before Compile")
	}
	if len(x) != len(g.x) {
		return fmt.Errorf("nn: %d input numbers, want %d", len(x), len(g.x))
	}
	copy(g.x, x)
	if err := g.execute(); err != nil {
		return err
	}
	for i, n := range g.grads {
		// Layers write to Grad themselves. It is another slice if gorgonia
		// added the gradients of several uses.
		grad := g.b.learned[i].param.Grad
		if v := values[T](n.Value()); &v[0] != &grad[0] {
			copy(grad, v)
		}
	}
	return nil
}

// ask is run for a graph without a loss. Where it can it reads x in place.
func (g *Graph[T]) ask(x []T) error {
	if g.ran && g.alone && source[T](g.Output) != nil && len(x) == len(g.x) {
		return replay(g.ours.order, g.Input, x)
	}
	return g.run(x)
}

// execute runs the tape machine, or does again what it did.
func (g *Graph[T]) execute() error {
	if g.ran && g.alone {
		return replay(g.ours.order, g.Input, g.x)
	}
	err := Execute(g.vm)
	g.ran = err == nil
	return err
}

// Result returns the output of the last run, in the layout of Output. It is
// overwritten by the next run.
func (g *Graph[T]) Result() []T { return values[T](g.Output.Value()) }

// Loss returns the loss of the last run.
func (g *Graph[T]) Loss() float64 {
	switch v := g.loss.Value().Data().(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	default:
		panic(fmt.Sprintf("nn: the loss has the value type %T", g.loss.Value()))
	}
}

// Close releases the machine. The graph cannot run afterwards.
func (g *Graph[T]) Close() error {
	if g.vm == nil {
		return nil
	}
	defer func() { g.vm = nil }()
	return g.vm.Close()
}

// batchAxis returns the number of elements before the batch axis of a node's
// shape, and after it.
func batchAxis(n *gorgonia.Node) (outer, inner int) {
	s := n.Shape()
	return size(s[:len(s)-2]), s[len(s)-1]
}
