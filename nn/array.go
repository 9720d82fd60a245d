package nn

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Given sets first values, and names, of parameters and buffers that are declared
// afterwards: by the name that a layer would give it, the tensor in the exported layout,
// whose name the parameter then has.
func (b *Builder[T]) Given(tensors map[string]Tensor[T]) {
	if b.given == nil {
		b.given = make(map[string]Tensor[T])
	}
	for name, t := range tensors {
		b.given[name] = t
	}
}

// Parameter is a learned array, of zeros unless its values are Given.
func (b *Builder[T]) Parameter(name string, shape ...int) *gorgonia.Node {
	p, v := b.param(Param[T]{Name: name, Shape: shape}, constant[T](0))
	o := &op[T]{name: "array " + name, run: always(copied[T])}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.paramGradient("dx "+o.name, p, copied[T], dy)}
	}
	return b.layer("Parameter", name, b.apply(o, shape, v), nil, []*Param[T]{p})
}

func copied[T Float](in [][]T, out []T) { copy(out, in[0]) }

func same[T Float](x, y []T) error { copy(y, x); return nil }

// Constant is an array that is not learned. data is read at every run.
func (b *Builder[T]) Constant(name string, data []T, shape ...int) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	if len(shape) == 0 || size(shape) != len(data) {
		return b.Fail(name, "%d numbers for the shape %v", len(data), shape)
	}
	b.ops++ // gorgonia takes inputs of one name and shape for one node, such as a constant and a bias
	n := b.input(fmt.Sprintf("%s #%d", name, b.ops), data, shape)
	b.needs[n] = false
	return b.layer("Constant", name, n, slices.Clone(data), nil)
}

// Scalar is a function of one number with its derivative, given x and y = Value(x).
type Scalar struct {
	Name         string
	Value        func(x float64) float64
	Differential func(x, y float64) float64
}

// mapGrain is the number of elements of a Map that justify another thread.
const mapGrain = 1 << 11

// Map applies a function to every element of x.
func (b *Builder[T]) Map(name string, x *gorgonia.Node, f Scalar) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	return b.unary(f.Name+" "+name, x, x.Shape(), func(x, y []T) error {
		kernel.Parallel(len(y), mapGrain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				y[i] = T(f.Value(float64(x[i])))
			}
		})
		return nil
	}, readsX|readsY, func(dy, x, y, dx []T) {
		kernel.Parallel(len(dx), mapGrain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				dx[i] = dy[i] * T(f.Differential(float64(x[i]), float64(y[i])))
			}
		})
	})
}

// Binary is an operation of two arrays, element by element.
type Binary string

// The operations.
const (
	Add Binary = "add"
	Sub Binary = "sub"
	Mul Binary = "mul"
	Div Binary = "div"
)

// Combine computes x op y, element by element of two arrays of one shape.
func (b *Builder[T]) Combine(name string, f Binary, x, y *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x, y) {
		return nil
	}
	if !x.Shape().Eq(y.Shape()) {
		return b.Fail(name, "%s of shapes %v and %v", f, x.Shape(), y.Shape())
	}
	if x == y { // gorgonia wants two inputs to be two nodes
		y = b.Reshape(name+" twice", y, y.Shape()...)
	}
	shape := x.Shape()
	o := &op[T]{name: string(f) + " " + name, run: func(in [][]T, out []T) error {
		u, v := in[0], in[1]
		for i := range out {
			switch f {
			case Add:
				out[i] = u[i] + v[i]
			case Sub:
				out[i] = u[i] - v[i]
			case Mul:
				out[i] = u[i] * v[i]
			case Div:
				out[i] = u[i] / v[i]
			default:
				return fmt.Errorf("no operation %q", f)
			}
		}
		return nil
	}}
	o.each(func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dx "+o.name, shape, func(in [][]T, dx []T) {
			for i, d := range in[0] {
				switch f {
				case Mul:
					d *= in[2][i]
				case Div:
					d /= in[2][i]
				}
				dx[i] = d
			}
		}, dy, x, y)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dy "+o.name, shape, func(in [][]T, dx []T) {
			for i, d := range in[0] {
				switch f {
				case Sub:
					d = -d
				case Mul:
					d *= in[1][i]
				case Div:
					d *= byDivisor(in[1][i], in[2][i])
				}
				dx[i] = d
			}
		}, dy, x, y)
	})
	return b.layer("Combine", name, b.apply(o, shape, x, y), f, nil, x, y)
}

// byDivisor is the derivative of x/y by y, without the square of y, which may overflow.
func byDivisor[T Float](x, y T) T { return -(x / y) / y }

// MatMul multiplies the matrices of the last two axes, [..., m, k] by [..., k, n]; the
// axes before them are the same.
func (b *Builder[T]) MatMul(name string, x, y *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x, y) {
		return nil
	}
	s, r := x.Shape(), y.Shape()
	d := len(s) - 2
	if d < 0 || len(r) != len(s) || !s[:d].Eq(r[:d]) || s[d+1] != r[d] {
		return b.Fail(name, "a product of matrices of shapes %v and %v", s, r)
	}
	if x == y {
		y = b.Reshape(name+" twice", y, r...)
	}
	m, k, n := s[d], s[d+1], r[d+1]
	shape := append(s.Clone()[:d], m, n)
	o := &op[T]{name: "matmul " + name, run: func(in [][]T, out []T) error {
		for i := range size(shape[:d]) {
			kernel.Gemm(false, false, m, n, k, 1, in[0][i*m*k:][:m*k], k, in[1][i*k*n:][:k*n], n, 0, out[i*m*n:][:m*n], n)
		}
		return nil
	}}
	o.each(func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dx "+o.name, s, func(in [][]T, dx []T) {
			for i := range size(shape[:d]) {
				kernel.Gemm(false, true, m, k, n, 1, in[0][i*m*n:][:m*n], n, in[1][i*k*n:][:k*n], n, 0, dx[i*m*k:][:m*k], k)
			}
		}, dy, y)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dy "+o.name, r, func(in [][]T, dx []T) {
			for i := range size(shape[:d]) {
				kernel.Gemm(true, false, k, n, m, 1, in[1][i*m*k:][:m*k], k, in[0][i*m*n:][:m*n], n, 0, dx[i*k*n:][:k*n], n)
			}
		}, dy, x)
	})
	return b.layer("MatMul", name, b.apply(o, shape, x, y), nil, nil, x, y)
}
