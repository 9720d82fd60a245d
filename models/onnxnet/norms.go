package onnxnet

import (
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// rows normalises each row of numbers from an axis on.
func (c *context[T]) rows(x *value[T], axis int) *value[T] {
	y := c.shaped(x, product(x.shape[:axis]), product(x.shape[axis:]))
	node := c.array(y)
	y = &value[T]{node: c.b.Standardise(c.label("rows"), node, c.n.float("epsilon", 1e-5)), shape: y.shape, kind: x.kind}
	return c.framed(y, c.along(x, span(axis, len(x.shape), 1)...), x.shape...)
}

// layerNorm normalises over the axes from one on.
func layerNorm[T nn.Float](c *context[T]) {
	x := c.in(0)
	axis := c.axis(x, -1)
	for _, out := range c.n.out[1:] {
		if c.f.counts[out] > 0 { // the mean and the inverse deviation
			over := span(axis, len(x.shape), 1)
			mean := c.reduced(nn.ReduceMean, x, over, true)
			d := c.combined(minus, x, mean)
			v := c.reduced(nn.ReduceMean, c.combined(multiple, d, d), over, true)
			e := c.n.float("epsilon", 1e-5)
			c.out(nil, mean, c.mapped(v, scalar("deviation", func(s float64) float64 { return 1 / math.Sqrt(s+e) }, func(_, y float64) float64 { return -y * y * y / 2 })))
			break
		}
	}
	y := c.rows(x, axis)
	if scale := c.in(1); scale != nil {
		y = c.combined(multiple, y, scale)
	}
	if bias := c.in(2); bias != nil {
		y = c.combined(sum, y, bias)
	}
	c.out(y)
}

// instanceNorm normalises each channel of an example, groupNorm groups of them.
func instanceNorm[T nn.Float](c *context[T]) { c.normed(c.in(0).shape[min(1, len(c.in(0).shape)-1)]) }

func groupNorm[T nn.Float](c *context[T]) { c.normed(c.n.integer("num_groups", 0)) }

func (c *context[T]) normed(groups int) {
	x := c.in(0)
	if len(x.shape) < 3 || groups < 1 || x.shape[1]%groups != 0 {
		c.fail("%d groups of the channels of %v", groups, x.shape)
	}
	y := c.rows(c.shaped(x, x.shape[0], groups, product(x.shape[1:])/groups), 2)
	y = c.shaped(y, x.shape...)
	for i, f := range []pairing{multiple, sum} {
		v := c.in(1 + i)
		if n := product(v.shape); n == groups && n != x.shape[1] { // up to version 20 a number a group
			v = c.shaped(c.spread(c.shaped(v, n, 1), []int{n, x.shape[1] / n}), x.shape[1])
		} else if n != x.shape[1] {
			c.fail("scales of shape %v for the channels of %v", v.shape, x.shape)
		}
		y = c.combined(f, y, c.channels(v, len(x.shape)))
	}
	c.out(y)
}

// chances are the axis of a softmax, and of how many numbers it is: before version 13 those of all
// axes from one on.
func (c *context[T]) chances(x *value[T]) (axis, of int) {
	without := -1
	if c.n.version < 13 {
		without = 1
	}
	axis = c.axis(x, without)
	if c.n.version < 13 {
		return axis, product(x.shape[axis:])
	}
	return axis, x.shape[axis]
}

// softmax, and its logarithm.
func softmax[T nn.Float](log bool) operator[T] {
	return func(c *context[T]) {
		x := c.in(0)
		axis, of := c.chances(x)
		at := c.along(x, axis)
		y := x
		if of > x.shape[axis] {
			at = c.along(x, span(axis, len(x.shape), 1)...)
			y = c.shaped(x, product(x.shape[:axis]), product(x.shape[axis:]))
			axis = 1
		}
		y = c.last(y, axis, func(n *gorgonia.Node) *gorgonia.Node {
			if log {
				return c.b.LogSoftmax(c.label("softmax"), n)
			}
			return c.attention(n)
		})
		if !slices.Equal(y.shape, x.shape) {
			y = c.shaped(y, x.shape...)
		}
		y.at = at
		c.out(y)
	}
}

// attention is the softmax of the last axis.
func (c *context[T]) attention(n *gorgonia.Node) *gorgonia.Node {
	return c.b.Attention(c.label("softmax"), n)
}

// reduced reduces axes, which stay with length 1 or go.
func (c *context[T]) reduced(f nn.Reduction, x *value[T], axes []int, keep bool) *value[T] {
	at := c.along(x, axes...)
	shape := []int{}
	for i, d := range x.shape {
		switch {
		case !slices.Contains(axes, i):
			shape = append(shape, d)
		case keep:
			shape = append(shape, 1)
		}
	}
	if at.of == examples && !keep {
		gone := 0
		for _, a := range axes {
			if a < at.axis {
				gone++
			}
		}
		at.axis -= gone
	}
	if len(axes) == 0 {
		if f == nn.ReduceL1 || f == nn.ReduceL2 {
			return c.mapped(x, functions["Abs"])
		}
		return x
	}
	node := c.array(x)
	if len(axes) == len(x.shape) {
		node, axes = c.b.Reshape(c.label("row"), node, 1, product(x.shape)), []int{1}
	}
	node = c.b.Reshape(c.label("reduced"), c.b.Reduce(c.label(string(f)), f, node, axes...), sides(shape)...)
	return &value[T]{node: node, shape: shape, kind: x.kind, at: at}
}

// reduce is an operator over axes, all without any.
func reduce[T nn.Float](f nn.Reduction, of func(c *context[T], x *value[T]) *value[T], after *nn.Scalar) operator[T] {
	return func(c *context[T]) {
		x := c.in(0)
		axes, _ := c.axes(1, len(x.shape))
		if len(axes) == 0 && c.n.integer("noop_with_empty_axes", 0) == 0 {
			axes = span(0, len(x.shape), 1)
		}
		if of != nil {
			x = of(c, x)
		}
		if product(x.shape) == 0 {
			c.fail("an array of shape %v, which holds nothing", x.shape)
		}
		var y *value[T]
		if known := x.known; known != nil && x.at.of == nowhere && len(axes) == len(x.shape) && (f == nn.ReduceProduct || f == nn.ReduceSum) { // of shapes
			shape := []int{}
			if c.n.integer("keepdims", 1) == 1 {
				shape = padded(nil, len(x.shape))
			}
			y = folded(&value[T]{kind: x.kind, shape: shape}, func(of func(v *value[T]) []float64) []float64 {
				total := map[bool]float64{true: 1}[f == nn.ReduceProduct]
				for _, v := range of(x) {
					if f == nn.ReduceProduct {
						total *= v
					} else {
						total += v
					}
				}
				return []float64{total}
			}, x)
		} else {
			y = c.reduced(f, x, axes, c.n.integer("keepdims", 1) == 1)
		}
		if after != nil {
			y = c.mapped(y, *after)
		}
		if y.kind == kindInt32 { // as onnxruntime does, whose sums are wider
			y = c.mapped(y, scalar("saturated", func(v float64) float64 { return rounded(min(max(v, math.MinInt32), math.MaxInt32), kindInt32) }, always(0)))
		} else {
			y = c.whole(y)
		}
		c.out(y)
	}
}

// squared is the square of numbers, of integers without rounding.
func squared[T nn.Float](c *context[T], x *value[T]) *value[T] {
	if !x.whole() {
		return c.combined(multiple, x, x)
	}
	wide := *x
	wide.kind = kindDouble
	y := c.combined(multiple, &wide, &wide)
	y.kind = x.kind
	return y
}
