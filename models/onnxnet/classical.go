package onnxnet

import "hinge/nn"

// The operators of ai.onnx.ml that a scaler and a linear classifier need.

// each is a list of floats of the node, one for each of n columns where it holds one.
func (c *context[T]) columns(name string, n int, without float64) *value[T] {
	var list []float64
	if a := c.n.attributes[name]; a != nil {
		list = doublesOf(a.GetFloats())
	} else {
		list = []float64{without}
	}
	if len(list) != 1 && len(list) != n {
		c.fail("%d numbers of %s for %d columns", len(list), name, n)
	}
	return c.constant(kindFloat, list, len(list))
}

// scaler is (x − offset)·scale.
func scaler[T nn.Float](c *context[T]) {
	x := c.in(0)
	n := x.shape[max(len(x.shape)-1, 0)]
	y := c.combined(minus, x, c.columns("offset", n, 0))
	c.out(c.combined(multiple, y, c.columns("scale", n, 1)))
}

// learnedMatrix is an attribute as a parameter under the name of an output.
func (c *context[T]) learnedMatrix(name string, shape ...int) *value[T] {
	list := c.n.attributes[name].GetFloats()
	if len(list) != product(shape) {
		c.fail("%d %s for the shape %v", len(list), name, shape)
	}
	t := &tensor{name: c.n.out[0] + "." + name, shape: shape, kind: kindFloat, floats: list, learned: true}
	return &value[T]{weight: t, shape: shape, kind: kindFloat}
}

// linear is x times the coefficients, [outputs][features], and the intercepts.
func (c *context[T]) linear(outputs int) *value[T] {
	x := c.in(0)
	if len(x.shape) != 2 {
		c.fail("an input of shape %v, want N×C", x.shape)
	}
	y := c.multiplied(x, c.permuted(c.learnedMatrix("coefficients", outputs, x.shape[1]), 1, 0))
	if c.n.attributes["intercepts"] != nil {
		y = c.combined(sum, y, c.learnedMatrix("intercepts", outputs))
	}
	return y
}

func linearRegressor[T nn.Float](c *context[T]) {
	if post := c.n.text("post_transform", "NONE"); post != "NONE" {
		c.fail("post_transform is %q", post)
	}
	c.out(c.linear(c.n.integer("targets", 1)))
}

// linearClassifier makes the scores; its labels are not made.
func linearClassifier[T nn.Float](c *context[T]) {
	if c.f.counts[c.n.out[0]] > 0 {
		c.fail("its labels are read; only scores are made here")
	}
	classes := max(len(c.n.list("classlabels_ints")), len(c.n.attributes["classlabels_strings"].GetStrings()))
	outputs := len(c.n.attributes["intercepts"].GetFloats())
	post := c.n.text("post_transform", "NONE")
	if outputs == 1 && classes == 2 {
		c.fail("one score of two classes; export with a score a class")
	}
	y := c.linear(max(outputs, 1))
	switch post {
	case "NONE":
	case "LOGISTIC":
		y = c.mapped(y, sigmoid)
	case "SOFTMAX":
		y = c.last(y, len(y.shape)-1, c.attention)
	default:
		c.fail("post_transform is %q", post)
	}
	c.out(nil, y)
}

// normalizer divides each row by its norm, but for rows of norm 0.
func normalizer[T nn.Float](c *context[T]) {
	x, by := c.in(0), nn.ReduceMax
	switch c.n.text("norm", "MAX") {
	case "L1":
		by = nn.ReduceL1
	case "L2":
		by = nn.ReduceL2
	}
	axis := len(x.shape) - 1
	norms := c.reduced(by, x, []int{axis}, true)
	c.out(c.combined(quotient, x, c.mapped(norms, orOne)))
}
