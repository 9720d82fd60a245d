package nn

import (
	"slices"

	"gorgonia.org/tensor"

	"hinge/nn/kernel"
)

// Float is the set of element types: float32 for training, float64 for
// checking derivatives by finite differences with the very same code.
type Float interface{ kernel.Float }

// Range is the half-open index range [Lo, Hi) of a parameter's storage.
type Range = kernel.Range

// Param is one named tensor of a network: a weight that is learned, or a
// buffer such as a running mean that the forward pass maintains.
//
// Value, Grad and Live refer to the storage order, which for convolutions and
// linear layers is not the exported one; element-wise optimisers need not
// care. Value and Grad keep their addresses for the life of the parameter, so
// an optimiser may hold on to them.
type Param[T Float] struct {
	// Name is the dotted name, torchvision-like: "layer1.0.bn1.weight".
	Name string
	// Shape is the exported shape: [out, in, kh, kw] for convolutions,
	// [out, in] for linear layers, [n] otherwise.
	Shape []int
	// Value is the storage every graph of the network reads.
	Value []T
	// Grad is the gradient left by the last Run of a graph with a loss, zero
	// outside Live. It is nil until the first such graph is compiled; all
	// graphs of the network write to the same slice.
	Grad []T
	// Buffer marks state that is not learned.
	Buffer bool
	// Trainable is true for every learned parameter at first. Set it to false
	// before building a graph to freeze the parameter in that graph.
	Trainable bool
	// Frozen marks what Params.Freeze has frozen, buffers among it, which graphs built
	// afterwards leave as they are.
	Frozen bool
	// Rate is a factor of the learning rate for this parameter; 0 means 1.
	Rate float64
	// Decay reports whether weight decay applies: true for convolution and
	// linear weights, false for biases and batch normalisation.
	Decay bool
	// Live lists, in increasing order, the ranges that can receive a gradient.
	// A tap of a convolution that only ever meets padding (every tap but the
	// centre on a 1×1 map) is left out: its gradient is identically zero and no
	// output depends on it, so an optimiser may pass over it.
	Live []Range

	layout layout
	kept   *kernel.Kept[T] // of a parameter of a held network: see Net.Hold
}

// layout is the storage order of a parameter.
type layout uint8

const (
	exported    layout = iota // the order of Shape
	matrix                    // [in, out], of a linear layer
	convolution               // see kernel.ConvShape.WeightIndex
)

// grad returns Grad, allocated at the first call.
func (p *Param[T]) grad() []T {
	if p.Grad == nil {
		p.Grad = kernel.Alloc[T](len(p.Value))
	}
	return p.Grad
}

// addLive unites Live with more (both sorted and disjoint).
func (p *Param[T]) addLive(more []Range) {
	all := append(slices.Clone(p.Live), more...)
	slices.SortFunc(all, func(a, b Range) int { return a.Lo - b.Lo })
	out := all[:0]
	for _, r := range all {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
		} else if r.Len() > 0 {
			out = append(out, r)
		}
	}
	p.Live = out
}

// Params is the ordered set of a network's parameters and buffers. They are in the order of
// their first use in the definition, which is part of the checkpoint format.
// The zero value is an empty set. Not safe for concurrent writers.
type Params[T Float] struct {
	list   []*Param[T]
	byName map[string]*Param[T]
}

// All returns every parameter and buffer in order. The slice is the set's own.
func (ps *Params[T]) All() []*Param[T] { return ps.list }

// Trainable returns the parameters an optimiser has to update, in order.
func (ps *Params[T]) Trainable() []*Param[T] {
	var out []*Param[T]
	for _, p := range ps.list {
		if p.Trainable && !p.Buffer {
			out = append(out, p)
		}
	}
	return out
}

// Get returns the parameter of that name, or nil.
func (ps *Params[T]) Get(name string) *Param[T] { return ps.byName[name] }

// Count returns the number of scalars in parameters, frozen ones among them, and not in buffers.
func (ps *Params[T]) Count() int {
	n := 0
	for _, p := range ps.list {
		if !p.Buffer {
			n += len(p.Value)
		}
	}
	return n
}

// add appends a parameter of a new name with zeroed storage.
func (ps *Params[T]) add(p *Param[T]) *Param[T] {
	if ps.byName == nil {
		ps.byName = make(map[string]*Param[T])
	}
	p.Value = kernel.Alloc[T](size(p.Shape))
	p.Trainable = !p.Buffer
	ps.list = append(ps.list, p)
	ps.byName[p.Name] = p
	return p
}

// size is the number of elements of a shape.
func size(shape []int) int { return tensor.ProdInts(shape) }
