package nn

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Pairing is a function of two numbers with its derivatives by both; a derivative may be nil,
// which is 0.
type Pairing struct {
	Name     string
	Value    func(x, y float64) float64
	ByX, ByY func(x, y float64) float64
}

// Zip applies a function to the elements of two arrays of one shape. Combine is the faster form
// for sums, differences, products and quotients.
func (b *Builder[T]) Zip(name string, x, y *gorgonia.Node, f Pairing) *gorgonia.Node {
	if b.failed(name, x, y) {
		return nil
	}
	shape := x.Shape()
	if !shape.Eq(y.Shape()) {
		return b.Fail(name, "%s of shapes %v and %v", f.Name, shape, y.Shape())
	}
	if x == y { // gorgonia wants two inputs to be two nodes
		y = b.Reshape(name+" twice", y, shape...)
	}
	o := &op[T]{name: f.Name + " " + name, run: func(in [][]T, out []T) error {
		for i, u := range in[0] {
			out[i] = T(f.Value(float64(u), float64(in[1][i])))
		}
		return nil
	}}
	by := func(which string, slope func(x, y float64) float64) func(dy *gorgonia.Node) *gorgonia.Node {
		return func(dy *gorgonia.Node) *gorgonia.Node {
			return b.gradient(which+" "+o.name, shape, func(in [][]T, d []T) {
				clear(d)
				for i, g := range in[0] {
					if slope != nil {
						d[i] = g * T(slope(float64(in[1][i]), float64(in[2][i])))
					}
				}
			}, dy, x, y)
		}
	}
	o.each(by("dx", f.ByX), by("dy", f.ByY))
	return b.apply(o, shape, x, y)
}

// Select takes the elements of x where those of where are not 0, else those of y: three arrays
// of one shape. No gradient flows to where.
func (b *Builder[T]) Select(name string, where, x, y *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, where, x, y) {
		return nil
	}
	shape := x.Shape()
	if !shape.Eq(y.Shape()) || !shape.Eq(where.Shape()) {
		return b.Fail(name, "a choice of shape %v between shapes %v and %v", where.Shape(), shape, y.Shape())
	}
	again := func(n *gorgonia.Node, k int) *gorgonia.Node {
		return b.Reshape(fmt.Sprint(name, " again ", k), n, shape...)
	}
	if x == where {
		x = again(x, 1)
	}
	if y == where || y == x {
		y = again(y, 2)
	}
	o := &op[T]{name: "select " + name, run: func(in [][]T, out []T) error {
		for i, w := range in[0] {
			if out[i] = in[2][i]; w != 0 {
				out[i] = in[1][i]
			}
		}
		return nil
	}}
	part := func(taken bool) func(dy *gorgonia.Node) *gorgonia.Node {
		return func(dy *gorgonia.Node) *gorgonia.Node {
			return b.gradient(fmt.Sprintf("d%t %s", taken, o.name), shape, func(in [][]T, d []T) {
				clear(d)
				for i, g := range in[0] {
					if (in[1][i] != 0) == taken {
						d[i] = g
					}
				}
			}, dy, where)
		}
	}
	o.wrt = []bool{false, true, true}
	o.each(nil, part(true), part(false))
	return b.layer("Select", name, b.apply(o, shape, where, x, y), nil, nil, where, x, y)
}

// Rows takes rows of a matrix [n][width], an embedding say, by their numbers, an array of any
// shape: [shape of index...][width]. A number counts from the end where it is negative; one
// that is no whole number, or names no row, is an error of the run. No gradient flows to index.
func (b *Builder[T]) Rows(name string, table, index *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, table, index) {
		return nil
	}
	s := table.Shape()
	if len(s) != 2 {
		return b.Fail(name, "rows of a table of shape %v, want a matrix", s)
	}
	rows, width := s[0], s[1]
	at := make([]int, size(index.Shape()))
	o := &op[T]{name: "rows " + name, wrt: []bool{true, false}, run: func(in [][]T, out []T) error {
		for i, v := range in[1] {
			k := int(v)
			if T(k) != v || k >= rows || k < -rows {
				return fmt.Errorf("%v is the number of no row of %d", v, rows)
			}
			at[i] = (k + rows) % rows
			copy(out[i*width:][:width], in[0][at[i]*width:])
		}
		return nil
	}}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		// y is an argument only to order this op after the forward one.
		return gorgonia.Nodes{b.gradient("dx "+o.name, s, func(in [][]T, d []T) {
			clear(d)
			for i, k := range at {
				for j := range width {
					d[k*width+j] += in[0][i*width+j]
				}
			}
		}, dy, y), nil}
	}
	y = b.apply(o, append(index.Shape().Clone(), width), table, index)
	return b.layer("Rows", name, y, nil, nil, table, index)
}
