package onnxnet

import (
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

func softmax[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	without := -1
	if c.f.opset < 13 {
		without = 1
	}
	axis, ok := axisOf(n.integer("axis", without), len(x.shape))
	if !ok || c.f.opset < 13 && product(x.shape[axis+1:]) != 1 {
		c.fail(n, "a softmax over axis %d of the shape %v", n.integer("axis", without), x.shape)
		return
	}
	c.moved(n, x, axis, func(y *gorgonia.Node) *gorgonia.Node { return c.b.Attention(n.out[0], y) })
}

// reduceMean is a product with equal weights.
func reduceMean[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	axes, some := c.list(n, "axes", 1)
	var kept, gone, shape []int
	count := 1
	for i, d := range x.shape {
		if some && !slices.Contains(axes, i) && !slices.Contains(axes, i-len(x.shape)) {
			kept, shape = append(kept, i), append(shape, d)
			continue
		}
		gone, count = append(gone, i), count*d
		if n.integer("keepdims", 1) == 1 {
			shape = append(shape, 1)
		}
	}
	y := c.array(x)
	if order := slices.Concat(kept, gone); !slices.IsSorted(order) {
		y = c.permute(n.out[0], y, x.shape, order...)
	}
	share := make([]T, count)
	for i := range share {
		share[i] = 1 / T(count)
	}
	rows := product(x.shape) / count
	y = c.b.MatMul(n.out[0], c.b.Reshape(n.out[0]+" rows", y, rows, count), c.b.Constant(n.out[0]+" shares", share, count, 1))
	if shape == nil {
		shape = []int{1}
	}
	c.set(n, c.b.Reshape(n.out[0]+" mean", y, shape...), false, shape...)
}
