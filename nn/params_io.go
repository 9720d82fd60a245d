package nn

import (
	"fmt"
	"slices"

	"hinge/nn/kernel"
)

// Tensor is one exported parameter: data in row-major order of Shape, in the
// layout of PyTorch (convolutions [out, in, kh, kw], linear [out, in]).
type Tensor[T Float] struct {
	Name  string
	Shape []int
	Data  []T
}

// Export returns a deep copy of every parameter and buffer, in order.
func (ps *Params[T]) Export() []Tensor[T] {
	out := make([]Tensor[T], len(ps.list))
	for i, p := range ps.list {
		t := Tensor[T]{Name: p.Name, Shape: slices.Clone(p.Shape), Data: kernel.Alloc[T](len(p.Value))}
		p.ExportOrder(t.Data, p.Value)
		out[i] = t
	}
	return out
}

// Import overwrites the parameters with the tensors of the same names. Every
// parameter of the set must be present once with its exact shape; unknown
// names are an error too. Nothing is written unless all of it fits, so a
// failed import leaves the network as it was.
func (ps *Params[T]) Import(tensors []Tensor[T]) error {
	return ps.ImportWhere(func(string) bool { return true }, tensors)
}

// ImportWhere is Import restricted to the names that keep accepts: the other
// parameters stay as they are, the other tensors are ignored. It puts a
// pretrained backbone under a fresh head. Accepting no parameter is an error.
func (ps *Params[T]) ImportWhere(keep func(name string) bool, tensors []Tensor[T]) error {
	var want []*Param[T]
	for _, p := range ps.list {
		if keep(p.Name) {
			want = append(want, p)
		}
	}
	if len(want) == 0 {
		return fmt.Errorf("nn: import: none of the %d parameters is wanted", len(ps.list))
	}
	given := slices.DeleteFunc(slices.Clone(tensors), func(t Tensor[T]) bool { return !keep(t.Name) })
	return ps.load(given, want)
}

// CopyFrom overwrites all values with the values of other parameters of the same definition,
// for instance of another Net that averages this one's weights.
func (ps *Params[T]) CopyFrom(src *Params[T]) error {
	same := func(p, q *Param[T]) bool { return p.Name == q.Name && slices.Equal(p.Shape, q.Shape) }
	if !slices.EqualFunc(ps.list, src.list, same) {
		return fmt.Errorf("nn: copy: the parameters differ in name, order or shape")
	}
	for i, p := range ps.list {
		copy(p.Value, src.list[i].Value)
	}
	return nil
}

// load checks tensors against want, then copies.
func (ps *Params[T]) load(tensors []Tensor[T], want []*Param[T]) error {
	seen := make(map[string]Tensor[T], len(tensors))
	var errs []error
	for _, t := range tensors {
		p := ps.byName[t.Name]
		switch {
		case p == nil:
			errs = append(errs, fmt.Errorf("nn: import: the network has no parameter %q", t.Name))
		case !slices.Equal(p.Shape, t.Shape):
			errs = append(errs, fmt.Errorf("nn: import: %q has shape %v, want %v", t.Name, t.Shape, p.Shape))
		case len(t.Data) != len(p.Value):
			errs = append(errs, fmt.Errorf("nn: import: %q has %d numbers for shape %v", t.Name, len(t.Data), t.Shape))
		}
		if _, dup := seen[t.Name]; dup {
			errs = append(errs, fmt.Errorf("nn: import: %q is given twice", t.Name))
		}
		seen[t.Name] = t
	}
	for _, p := range want {
		if _, ok := seen[p.Name]; !ok {
			errs = append(errs, fmt.Errorf("nn: import: parameter %q is missing", p.Name))
		}
	}
	switch n := len(errs); n {
	case 0:
	case 1:
		return errs[0]
	default: // a line, also where all are of another network
		return fmt.Errorf("%w, and %d more such errors", errs[0], n-1)
	}
	for _, p := range want {
		p.StorageOrder(p.Value, seen[p.Name].Data)
	}
	return nil
}

// ExportOrder writes src, which is in storage order like Value or Grad, into
// dst in the exported order. Both have the parameter's length.
func (p *Param[T]) ExportOrder(dst, src []T) {
	switch p.layout {
	case convolution:
		kernel.PanelsToOIHW(dst, src, p.Shape[0], p.Shape[1], p.Shape[3])
	case matrix:
		kernel.Transpose(dst, src, p.Shape[1], p.Shape[0])
	default:
		copy(dst, src)
	}
}

// StorageOrder is the inverse of ExportOrder.
func (p *Param[T]) StorageOrder(dst, src []T) {
	switch p.layout {
	case convolution:
		kernel.OIHWToPanels(dst, src, p.Shape[0], p.Shape[1], p.Shape[3])
	case matrix:
		kernel.Transpose(dst, src, p.Shape[0], p.Shape[1])
	default:
		copy(dst, src)
	}
}
