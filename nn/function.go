package nn

import (
	"slices"

	"gorgonia.org/gorgonia"
)

// Function returns the scalar f(x) of a function from outside this package that
// brings its own gradient, such as the likelihood of a circuit. f is called at
// every run with the elements of x; it returns the value and overwrites every
// element of dx with the derivative. It must not keep the slices. An error of f
// is the run's error.
func (b *Builder[T]) Function(name string, x *gorgonia.Node, f func(x, dx []T) (float64, error)) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	kept := make([]T, size(in))
	o := &op[T]{
		name: "function " + name,
		run: func(v [][]T, out []T) error {
			y, err := f(v[0], kept)
			out[0] = T(y)
			return err
		},
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		// y is an argument only to order this op after the run of f.
		return gorgonia.Nodes{b.gradient("dx "+o.name, in, func(v [][]T, dx []T) error {
			for i, d := range kept {
				dx[i] = v[1][0] * d
			}
			return nil
		}, y, dy)}
	}
	y = b.apply(o, nil, x)
	return y
}

// Reshape gives the elements of x, in their order, another shape of the same
// size.
func (b *Builder[T]) Reshape(name string, x *gorgonia.Node, shape ...int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(shape) == 0 || size(shape) != size(in) {
		b.Fail(name, "%v does not have the size of %v", shape, in)
		return nil
	}
	o := &op[T]{name: "reshape " + name, run: copied[T]}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx "+o.name, in, copied[T], dy)}
	}
	return b.layer("Reshape", name, b.apply(o, shape, x), slices.Clone(shape), nil, x)
}
