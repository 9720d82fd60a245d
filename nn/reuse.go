package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// reuseFrom is the number of elements from which an output is worth sharing.
const reuseFrom = 1 << 12

// buffers lets the ops of one graph share memory: when all readers of an output are done, its
// memory becomes the output of a later op. A tape runs its ops in the same order each time, so
// the first run decides who shares memory for all runs.
type buffers[T Float] struct {
	free  map[int][][]T // by length
	order []*op[T]      // in which the ops ran first
}

func (m *buffers[T]) get(n int) []T {
	list := m.free[n]
	if len(list) == 0 {
		return kernel.Alloc[T](n)
	}
	s := list[len(list)-1]
	m.free[n] = list[:len(list)-1]
	return s
}

func (m *buffers[T]) put(s []T) { m.free[len(s)] = append(m.free[len(s)], s) }

// shareBuffers prepares the ops of a graph for sharing. Kept are the outputs of
// the given nodes and of those that an op from outside this package reads: it
// may hold on to them.
func shareBuffers[T Float](g *gorgonia.ExprGraph, keep gorgonia.Nodes) *buffers[T] {
	m := &buffers[T]{free: make(map[int][][]T)}
	for _, n := range g.AllNodes() {
		o, ours := n.Op().(*op[T])
		switch {
		case !ours:
			for in := g.From(n.ID()); in.Next(); {
				keep = append(keep, in.Node().(*gorgonia.Node))
			}
		case o.from == nil:
			o.shared = m
			for _, in := range o.in {
				if s := source[T](in); s != nil {
					s.readers++
				}
			}
		}
	}
	for _, n := range keep {
		if s := source[T](n); s != nil {
			s.kept = true
		}
	}
	return m
}

// source is the op that owns the value of a node, or nil if it is none of this
// package. A skip op passes the value of its input on.
func source[T Float](n *gorgonia.Node) *op[T] {
	o, _ := n.Op().(*op[T])
	for o != nil && o.from != nil {
		o, _ = o.in[0].Op().(*op[T])
	}
	return o
}

// buffer returns the output, which it finds the memory for at first.
func (o *op[T]) buffer() []T {
	n := size(o.shape)
	switch {
	case o.data != nil:
	case o.shared == nil || o.kept || n < reuseFrom || len(o.shape) == 0:
		o.data = kernel.Alloc[T](n)
	default:
		o.data, o.passes = o.shared.get(n), true
	}
	return o.data
}

// seen notes that the op ran and gives the inputs' memory free that nobody reads
// after it.
func (o *op[T]) seen() {
	if o.ran || o.shared == nil {
		return
	}
	o.ran = true
	o.shared.order = append(o.shared.order, o)
	for _, in := range o.in {
		if s := source[T](in); s != nil {
			if s.readers--; s.readers == 0 && s.passes {
				s.shared.put(s.data)
			}
		}
	}
}
