package onnxnet

import (
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// scalar is a function of one number with its derivative, given x and the function's value y.
func scalar(name string, value func(x float64) float64, differential func(x, y float64) float64) nn.Scalar {
	return nn.Scalar{Name: name, Value: value, Differential: differential}
}

// always is a constant derivative.
func always(d float64) func(x, y float64) float64 { return func(_, _ float64) float64 { return d } }

// times multiplies by a number, plus adds one.
func times(factor float64) nn.Scalar {
	return scalar("times", func(x float64) float64 { return factor * x }, always(factor))
}

func plus(v float64) nn.Scalar {
	return scalar("plus", func(x float64) float64 { return x + v }, always(1))
}

// functions are the operators of one number that have no attributes.
var functions = map[string]nn.Scalar{
	"Sigmoid": scalar("sigmoid", func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, func(_, y float64) float64 { return y * (1 - y) }),
	"Tanh":    scalar("tanh", math.Tanh, func(_, y float64) float64 { return 1 - y*y }),
	"Erf":     scalar("erf", math.Erf, func(x, _ float64) float64 { return 2 / math.Sqrt(math.Pi) * math.Exp(-x*x) }),
	"Sqrt":    scalar("sqrt", math.Sqrt, func(_, y float64) float64 { return 0.5 / y }),
	"Exp":     scalar("exp", math.Exp, func(_, y float64) float64 { return y }),
	"Log":     scalar("log", math.Log, func(x, _ float64) float64 { return 1 / x }),
	"Neg":     times(-1),
	"Abs": scalar("abs", math.Abs, func(x, _ float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}),
}

// mapped applies a function of one number, in whatever layout.
func mapped[T nn.Float](f nn.Scalar) operator[T] {
	return func(c *context[T], n *node) { c.apply(n, c.input(n, 0), f) }
}

func leakyRelu[T nn.Float](c *context[T], n *node) {
	slope := n.float("alpha", 0.01)
	c.apply(n, c.input(n, 0), scalar("leakyrelu", func(x float64) float64 {
		if x > 0 {
			return x
		}
		return slope * x
	}, func(x, _ float64) float64 {
		if x > 0 {
			return 1
		}
		return slope
	}))
}

// density is the density of the standard normal distribution.
func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

func gelu[T nn.Float](c *context[T], n *node) {
	f := scalar("gelu", func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) },
		func(x, _ float64) float64 { return (1+math.Erf(x/math.Sqrt2))/2 + x*density(x) })
	if n.attributes["approximate"].text == "tanh" {
		inner := func(x float64) float64 { return math.Tanh(math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x)) }
		f = scalar("gelu", func(x float64) float64 { return x / 2 * (1 + inner(x)) }, func(x, _ float64) float64 {
			t := inner(x)
			return (1+t)/2 + x/2*(1-t*t)*math.Sqrt(2/math.Pi)*(1+3*0.044715*x*x)
		})
	}
	c.apply(n, c.input(n, 0), f)
}

func (c *context[T]) apply(n *node, x *value[T], f nn.Scalar) {
	c.materialise(x)
	c.set(n, c.b.Map(n.out[0], x.node, f), x.maps, x.shape...)
}

func relu[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	c.materialise(x)
	c.set(n, c.b.ReLU(n.out[0], x.node), x.maps, x.shape...)
}

// clip has its bounds as attributes or as constant inputs.
func clip[T nn.Float](c *context[T], n *node) {
	lo, hi := n.float("min", math.Inf(-1)), n.float("max", math.Inf(1))
	for i, bound := range []*float64{&lo, &hi} {
		if v := c.input(n, 1+i); v != nil {
			x := v.constant()
			if x == nil {
				c.fail(n, "its bounds are not constant")
				return
			}
			*bound = *x
		}
	}
	c.apply(n, c.input(n, 0), scalar("clip", func(x float64) float64 { return min(max(x, lo), hi) }, func(x, _ float64) float64 {
		if x > lo && x < hi {
			return 1
		}
		return 0
	}))
}

func pow[T nn.Float](c *context[T], n *node) {
	exponent := c.input(n, 1).constant()
	if v := c.input(n, 1); exponent == nil && v.whole && len(v.ints) == 1 {
		e := float64(v.ints[0])
		exponent = &e
	}
	if exponent == nil {
		c.fail(n, "its exponent is not constant")
		return
	}
	e := *exponent
	c.apply(n, c.input(n, 0), scalar("pow", func(x float64) float64 { return math.Pow(x, e) },
		func(x, _ float64) float64 { return e * math.Pow(x, e-1) }))
}

// pairwise is an operator of two arrays, or of two integers.
func pairwise[T nn.Float](f nn.Binary) operator[T] {
	return func(c *context[T], n *node) {
		x, y := c.input(n, 0), c.input(n, 1)
		if x.whole && y.whole {
			c.integers(n, f, x, y)
			return
		}
		if x.whole || y.whole {
			c.fail(n, "integers and an array of numbers")
			return
		}
		c.combine(n, f, x, y)
	}
}

// combine broadcasts two arrays and combines them into the output of a node.
func (c *context[T]) combine(n *node, f nn.Binary, x, y *value[T]) {
	if k := y.constant(); k != nil && len(y.shape) <= len(x.shape) {
		c.apply(n, x, withNumber(f, *k))
		return
	}
	if k := x.constant(); k != nil && len(x.shape) <= len(y.shape) {
		c.apply(n, y, ofNumber(f, *k))
		return
	}
	shape, ok := broadcast(x.shape, y.shape)
	if !ok {
		c.fail(n, "arrays of shapes %v and %v", x.shape, y.shape)
		return
	}
	if len(shape) == 4 && (x.maps || y.maps) {
		to := []int{shape[2], shape[3], shape[0], shape[1]}
		a, b := c.asMaps(n.out[0], x, to), c.asMaps(n.out[0]+" second", y, to)
		c.set(n, c.b.Combine(n.out[0], f, a, b), true, shape...)
		return
	}
	a, b := c.spread(n.out[0], c.array(x), x.shape, shape), c.spread(n.out[0]+" second", c.array(y), y.shape, shape)
	c.set(n, c.b.Combine(n.out[0], f, a, b), false, shape...)
}

// withNumber is x op v, ofNumber is v op x.
func withNumber(f nn.Binary, v float64) nn.Scalar {
	switch f {
	case nn.Add:
		return plus(v)
	case nn.Sub:
		return plus(-v)
	case nn.Mul:
		return times(v)
	}
	return scalar("over", func(x float64) float64 { return x / v }, always(1/v))
}

func ofNumber(f nn.Binary, v float64) nn.Scalar {
	switch f {
	case nn.Sub:
		return scalar("from", func(x float64) float64 { return v - x }, always(-1))
	case nn.Div:
		return scalar("under", func(x float64) float64 { return v / x }, func(x, y float64) float64 { return -y / x })
	}
	return withNumber(f, v)
}

// broadcast is the shape of two arrays together.
func broadcast(a, b []int) ([]int, bool) {
	n := max(len(a), len(b))
	a, b = padded(a, n), padded(b, n)
	out := make([]int, n)
	for i := range out {
		if out[i] = max(a[i], b[i]); a[i] != b[i] && min(a[i], b[i]) != 1 {
			return nil, false
		}
	}
	return out, true
}

// padded puts ones before a shape.
func padded(s []int, n int) []int { return append(slices.Repeat([]int{1}, max(0, n-len(s))), s...) }

// spread is an array repeated to a shape.
func (c *context[T]) spread(name string, x *gorgonia.Node, from, to []int) *gorgonia.Node {
	full := padded(from, len(to))
	if len(full) != len(from) || len(from) == 0 {
		x = c.b.Reshape(name+" axes", x, full...)
	}
	return c.expand(name+" spread", x, full, to)
}

// asMaps is a value as maps, repeated to their shape.
func (c *context[T]) asMaps(name string, v *value[T], to []int) *gorgonia.Node {
	c.materialise(v)
	s := padded(v.shape, 4)
	x := &value[T]{node: v.node, shape: s, maps: v.maps}
	if len(v.shape) != 4 {
		x.node = c.b.Reshape(name+" axes", v.node, s...)
	}
	return c.expand(name+" spread", c.mapsOf(x), []int{s[2], s[3], s[0], s[1]}, to)
}

// integers combines integers; one side may be a single integer.
func (c *context[T]) integers(n *node, f nn.Binary, x, y *value[T]) {
	shape := x.shape
	if len(x.ints) == 1 && len(y.ints) > 1 {
		shape = y.shape
	}
	out := make([]int, max(len(x.ints), len(y.ints)))
	for i := range out {
		if len(x.ints) != len(out) && len(x.ints) != 1 || len(y.ints) != len(out) && len(y.ints) != 1 {
			c.fail(n, "integers of shapes %v and %v", x.shape, y.shape)
			return
		}
		a, b := x.ints[min(i, len(x.ints)-1)], y.ints[min(i, len(y.ints)-1)]
		switch {
		case f == nn.Add:
			out[i] = a + b
		case f == nn.Sub:
			out[i] = a - b
		case f == nn.Mul:
			out[i] = a * b
		case b == 0:
			c.fail(n, "a division by 0")
			return
		default:
			out[i] = a / b
		}
	}
	c.setInts(n, out, shape...)
}
