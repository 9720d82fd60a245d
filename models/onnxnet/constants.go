package onnxnet

import (
	"slices"

	"hinge/nn"
)

// cast and identity leave a value as it is.
func cast[T nn.Float](c *context[T], n *node) {
	x := *c.input(n, 0)
	floats := slices.Contains([]int{kindFloat, kindHalf, kindDouble}, n.integer("to", kindFloat))
	switch {
	case x.whole && floats:
		t := &tensor{name: n.out[0], shape: x.shape, floats: make([]float32, len(x.ints))}
		for i, v := range x.ints {
			t.floats[i] = float32(v)
		}
		x = value[T]{weight: t, fixed: true, shape: x.shape}
	case !x.whole && !floats:
		c.fail(n, "numbers with fractions as integers")
		return
	}
	c.values[n.out[0]] = &x
}

func identity[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	if !x.whole {
		c.materialise(x)
	}
	same := *x
	same.main = nil
	c.values[n.out[0]] = &same
}

// dropout drops in training, as the node says.
func dropout[T nn.Float](c *context[T], n *node) {
	x, p := c.input(n, 0), n.float("ratio", 0.5)
	if v := c.input(n, 1).constant(); v != nil {
		p = *v
	}
	c.materialise(x)
	c.set(n, c.b.Dropout(n.out[0], x.node, p), x.maps, x.shape...)
}

func constantOf[T nn.Float](c *context[T], n *node) {
	switch t := n.attributes["value"].tensor; {
	case t != nil && t.whole:
		c.setInts(n, t.ints, t.shape...)
	case t != nil:
		own := *t
		own.name = n.out[0]
		c.values[n.out[0]] = &value[T]{weight: &own, fixed: true, shape: t.shape}
	case n.attributes["value_ints"].list != nil:
		c.setInts(n, n.attributes["value_ints"].list, len(n.attributes["value_ints"].list))
	default:
		a := n.attributes["value_float"]
		if whole := n.attributes["value_int"]; whole.kind == attributeInt {
			c.setInts(n, []int{whole.integer})
		} else if a.kind == attributeFloat {
			c.values[n.out[0]] = &value[T]{weight: &tensor{name: n.out[0], floats: []float32{float32(a.number)}}, fixed: true}
		} else {
			c.fail(n, "it holds neither an array nor a number")
		}
	}
}
