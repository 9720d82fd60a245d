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
	kept := make([]T, size(x.Shape()))
	return b.unary("function "+name, x, nil, func(x, y []T) error {
		v, err := f(x, kept)
		y[0] = T(v)
		return err
	}, readsY, func(dy, _, _, dx []T) {
		for i, d := range kept {
			dx[i] = dy[0] * d
		}
	})
}

// Reshape gives the elements of x, in their order, another shape of the same
// size.
func (b *Builder[T]) Reshape(name string, x *gorgonia.Node, shape ...int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(shape) == 0 || size(shape) != size(in) {
		return b.Fail(name, "%v does not have the size of %v", shape, in)
	}
	y := b.unary("reshape "+name, x, shape, same[T], 0, func(dy, _, _, dx []T) { copy(dx, dy) })
	return b.layer("Reshape", name, y, slices.Clone(shape), nil, x)
}
