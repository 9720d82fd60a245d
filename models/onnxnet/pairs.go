package onnxnet

import (
	"math"
	"slices"

	"hinge/nn"
)

// pairing is an operator of two numbers; quick is the name of the faster form in package nn.
type pairing struct {
	nn.Pairing
	quick nn.Binary
	truth bool // the result is 0 or 1
}

func pair(name string, value, byX, byY func(x, y float64) float64) pairing {
	return pairing{Pairing: nn.Pairing{Name: name, Value: value, ByX: byX, ByY: byY}}
}

// truth is a relation.
func truth(name string, holds func(x, y float64) bool) pairing {
	return pairing{truth: true, Pairing: nn.Pairing{Name: name, Value: func(x, y float64) float64 {
		if holds(x, y) {
			return 1
		}
		return 0
	}}}
}

// when is 1 where a relation holds; of equal numbers the first counts.
func when(holds func(x, y float64) bool) func(x, y float64) float64 { return truth("", holds).Value }

var (
	sum      = pairing{quick: nn.Add, Pairing: nn.Pairing{Name: "add", Value: func(x, y float64) float64 { return x + y }}}
	minus    = pairing{quick: nn.Sub, Pairing: nn.Pairing{Name: "sub", Value: func(x, y float64) float64 { return x - y }}}
	multiple = pairing{quick: nn.Mul, Pairing: nn.Pairing{Name: "mul", Value: func(x, y float64) float64 { return x * y }}}
	quotient = pairing{quick: nn.Div, Pairing: nn.Pairing{Name: "div", Value: func(x, y float64) float64 { return x / y }}}
	larger   = pair("max", func(x, y float64) float64 { return max(x, y) }, when(func(x, y float64) bool { return x >= y }), when(func(x, y float64) bool { return x < y }))
	smaller  = pair("min", func(x, y float64) float64 { return min(x, y) }, when(func(x, y float64) bool { return x <= y }), when(func(x, y float64) bool { return x > y }))
	power    = pair("pow", math.Pow, func(x, y float64) float64 {
		if y == 0 {
			return 0
		}
		return y * math.Pow(x, y-1)
	}, func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return math.Pow(x, y) * math.Log(x)
	})
	sloped = pair("prelu", func(x, y float64) float64 {
		if x < 0 {
			return x * y
		}
		return x
	}, func(x, y float64) float64 {
		if x < 0 {
			return y
		}
		return 1
	}, func(x, _ float64) float64 { return min(x, 0) })
)

// pairings are the operators of two arrays or, of the first ones, of several.
var pairings = map[string]pairing{
	"Add": sum, "Sub": minus, "Mul": multiple, "Div": quotient, "Pow": power, "PRelu": sloped, "Max": larger, "Min": smaller, "Sum": sum, "Mean": sum,
	"Equal": truth("equal", func(x, y float64) bool { return x == y }), "Less": truth("less", func(x, y float64) bool { return x < y }),
	"LessOrEqual": truth("lessorequal", func(x, y float64) bool { return x <= y }), "Greater": truth("greater", func(x, y float64) bool { return x > y }),
	"GreaterOrEqual": truth("greaterorequal", func(x, y float64) bool { return x >= y }),
	"And":            truth("and", func(x, y float64) bool { return x != 0 && y != 0 }), "Or": truth("or", func(x, y float64) bool { return x != 0 || y != 0 }),
	"Xor": truth("xor", func(x, y float64) bool { return (x != 0) != (y != 0) }),
}

// pairwise combines the inputs one after the other.
func pairwise[T nn.Float](f pairing) operator[T] {
	return func(c *context[T]) {
		y := c.in(0)
		for i := 1; i < len(c.n.in); i++ {
			x := c.in(i)
			if old := c.n.version < 7 && len(c.n.in) == 2 && c.n.integer("broadcast", 0) == 1; old { // aligned from an axis on
				if axis, ok := axisOf(c.n.integer("axis", len(y.shape)-len(x.shape)), len(y.shape)); ok && axis+len(x.shape) <= len(y.shape) {
					x = c.shaped(x, append(append([]int{}, x.shape...), padded(nil, len(y.shape)-len(x.shape)-axis)...)...)
				}
			}
			if c.n.op == "PRelu" && len(x.shape) == 1 && c.n.version < 7 && len(y.shape) > 1 { // a slope a channel
				x = c.shaped(x, append(append([]int{}, x.shape...), padded(nil, len(y.shape)-2)...)...)
			}
			y = c.combined(f, y, x)
		}
		if c.n.op == "Mean" {
			y = c.mapped(y, times(1/float64(len(c.n.in))))
		}
		if len(c.n.in) == 1 {
			identity(c)
			return
		}
		c.out(y)
	}
}

// combined is f of two arrays, broadcast.
func (c *context[T]) combined(f pairing, x, y *value[T]) *value[T] {
	kind := x.kind
	if f.truth {
		kind = kindBool
	}
	vs, shape, at := c.aligned(x, y)
	x, y = vs[0], vs[1]
	z := &value[T]{shape: shape, kind: kind, at: at}
	of := f.Value
	if whole := !fractional(kind) && !f.truth; whole {
		of = func(u, v float64) float64 { return rounded(f.Value(u, v), kind) }
	}
	if x.known != nil && y.known != nil {
		u, v := c.spread(x, shape), c.spread(y, shape)
		return folded(z, func(numbers func(v *value[T]) []float64) []float64 {
			out, a, b := make([]float64, product(shape)), numbers(u), numbers(v)
			for i := range out {
				if out[i] = of(a[i], b[i]); math.IsInf(out[i], 0) && !fractional(kind) {
					c.fail("a division by 0")
				}
			}
			return out
		}, u, v)
	}
	if k := c.one(y); k != nil && len(y.shape) <= len(x.shape) {
		z = c.mapped(x, oneFixed(f, of, *k, false))
		z.kind = kind
		return z
	}
	if k := c.one(x); k != nil && len(x.shape) <= len(y.shape) {
		z = c.mapped(y, oneFixed(f, of, *k, true))
		z.kind = kind
		return z
	}
	var a, b *value[T]
	if len(shape) == 4 && (x.maps || y.maps) {
		a, b, z.maps = c.asMaps(x, shape), c.asMaps(y, shape), true
	} else {
		a, b = c.spread(x, shape), c.spread(y, shape)
	}
	u, v := a.node, b.node
	if !z.maps {
		u, v = c.array(a), c.array(b)
	}
	if f.quick != "" {
		z.node = c.b.Combine(c.label(f.Name), f.quick, u, v)
		return c.whole(z)
	}
	g := f.Pairing
	g.Value = of
	z.node = c.b.Zip(c.label(f.Name), u, v, g)
	return z
}

// oneFixed is f as a function of one number where the other is k.
func oneFixed(f pairing, of func(x, y float64) float64, k float64, first bool) nn.Scalar {
	slope := f.ByX
	switch {
	case f.quick == nn.Add:
		slope = always(1)
	case f.quick == nn.Sub:
		slope = always(1)
		if first {
			slope = always(-1)
		}
	case f.quick == nn.Mul:
		slope = always(k)
	case f.quick == nn.Div && first:
		return scalar("under", func(x float64) float64 { return of(k, x) }, func(x, _ float64) float64 { return -k / (x * x) })
	case f.quick == nn.Div:
		slope = always(1 / k)
	case first:
		slope = f.ByY
	}
	if slope == nil {
		slope = always(0)
	}
	if first {
		return scalar(f.Name, func(x float64) float64 { return of(k, x) }, func(x, _ float64) float64 { return slope(k, x) })
	}
	return scalar(f.Name, func(x float64) float64 { return of(x, k) }, func(x, _ float64) float64 { return slope(x, k) })
}

// asMaps is a value as maps, repeated to a shape.
func (c *context[T]) asMaps(v *value[T], shape []int) *value[T] {
	to := []int{shape[2], shape[3], shape[0], shape[1]}
	c.materialise(v)
	s := padded(v.shape, 4)
	x := &value[T]{node: v.node, shape: s, maps: v.maps}
	if len(v.shape) != 4 {
		x.node = c.b.Reshape(c.label("axes"), v.node, s...)
	}
	m := &value[T]{node: c.mapsOf(x), shape: []int{s[2], s[3], s[0], s[1]}}
	return c.spread(m, to)
}

// where chooses between two arrays.
func where[T nn.Float](c *context[T]) {
	vs, shape, at := c.aligned(c.in(0), c.in(1), c.in(2))
	for i := range vs {
		vs[i] = c.spread(vs[i], shape)
	}
	w, x, y := vs[0], vs[1], vs[2]
	z := &value[T]{shape: shape, kind: x.kind, at: at}
	if w.known != nil && x.known != nil && y.known != nil {
		folded(z, func(of func(v *value[T]) []float64) []float64 {
			out := slices.Clone(of(y))
			for i, v := range of(w) {
				if v != 0 {
					out[i] = of(x)[i]
				}
			}
			return out
		}, w, x, y)
	} else {
		a, b, d := c.array(w), c.array(x), c.array(y)
		z.node = c.b.Select(c.label("where"), a, b, d)
	}
	c.out(z)
}
