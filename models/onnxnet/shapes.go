package onnxnet

import (
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// reshaped sets an array with the same elements in another shape.
func (c *context[T]) reshaped(n *node, x *value[T], shape []int) {
	if product(shape) != product(x.shape) || slices.Min(append([]int{1}, shape...)) < 0 {
		c.fail(n, "an array of shape %v as %v; where the first axis is the batch, export with a free one", x.shape, shape)
		return
	}
	if x.whole {
		c.setInts(n, x.ints, shape...)
		return
	}
	to := shape
	if len(to) == 0 {
		to = []int{1}
	}
	c.set(n, c.b.Reshape(n.out[0], c.array(x), to...), false, shape...)
}

func reshape[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	to, ok := c.list(n, "shape", 1)
	if !ok {
		c.fail(n, "its shape is not known before it runs")
		return
	}
	shape, free := slices.Clone(to), -1
	for i, d := range shape {
		switch {
		case d == 0 && n.integer("allowzero", 0) == 0 && i < len(x.shape):
			shape[i] = x.shape[i]
		case d == -1:
			free = i
		}
	}
	if free >= 0 {
		shape[free] = 1
		if rest := product(shape); rest > 0 && product(x.shape)%rest == 0 {
			shape[free] = product(x.shape) / rest
		}
	}
	c.reshaped(n, x, shape)
}

func flatten[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	axis := n.integer("axis", 1)
	if axis < 0 {
		axis += len(x.shape)
	}
	if axis < 0 || axis > len(x.shape) {
		c.fail(n, "axis %d of the shape %v", axis, x.shape)
		return
	}
	c.reshaped(n, x, []int{product(x.shape[:axis]), product(x.shape[axis:])})
}

func squeeze[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	axes, some := c.list(n, "axes", 1)
	var shape []int
	for i, d := range x.shape {
		if named := slices.Contains(axes, i) || slices.Contains(axes, i-len(x.shape)); !named && (some || d != 1) {
			shape = append(shape, d)
		}
	}
	c.reshaped(n, x, shape)
}

func unsqueeze[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	axes, ok := c.list(n, "axes", 1)
	if !ok {
		c.fail(n, "its axes are not known before it runs")
		return
	}
	var shape []int
	rest := x.shape
	for i := range len(x.shape) + len(axes) {
		if slices.Contains(axes, i) || slices.Contains(axes, i-len(x.shape)-len(axes)) || len(rest) == 0 {
			shape = append(shape, 1)
		} else {
			shape, rest = append(shape, rest[0]), rest[1:]
		}
	}
	c.reshaped(n, x, shape)
}

func transpose[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	order := n.attributes["perm"].list
	if order == nil {
		for i := range x.shape {
			order = append(order, len(x.shape)-1-i)
		}
	}
	shape := make([]int, len(order))
	for i, axis := range order {
		if len(order) != len(x.shape) || axis < 0 || axis >= len(x.shape) || slices.Index(order, axis) != i {
			c.fail(n, "the order %v of the axes of %v", order, x.shape)
			return
		}
		shape[i] = x.shape[axis]
	}
	c.set(n, c.permute(n.out[0], c.array(x), x.shape, order...), false, shape...)
}

// moved calls f with an array whose axis is the last, and moves the result back.
func (c *context[T]) moved(n *node, x *value[T], axis int, f func(y *gorgonia.Node) *gorgonia.Node) {
	rank := len(x.shape)
	if axis == rank-1 {
		c.set(n, f(c.array(x)), false, x.shape...)
		return
	}
	order := make([]int, rank)
	shape := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	order[axis], order[rank-1] = rank-1, axis
	for i, a := range order {
		shape[i] = x.shape[a]
	}
	y := f(c.permute(n.out[0]+" to", c.array(x), x.shape, order...))
	c.set(n, c.permute(n.out[0]+" back", y, shape, order...), false, x.shape...)
}

func shapeOf[T nn.Float](c *context[T], n *node) {
	s := c.input(n, 0).shape
	from, to := n.integer("start", 0), n.integer("end", len(s))
	if from < 0 {
		from += len(s)
	}
	if to < 0 {
		to += len(s)
	}
	s = s[min(max(from, 0), len(s)):max(min(to, len(s)), min(max(from, 0), len(s)))]
	c.setInts(n, slices.Clone(s), len(s))
}
