package onnxnet

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

type gorgoniaNode = *gorgonia.Node

// operators returns the operators that are understood, by name.
func operators[T nn.Float]() map[string]operator[T] {
	m := map[string]operator[T]{
		"Conv": conv[T], "BatchNormalization": batchNorm[T], "MaxPool": maxPool[T], "AveragePool": averagePool[T],
		"GlobalAveragePool": globalAveragePool[T], "Gemm": gemm[T], "MatMul": matMul[T], "LayerNormalization": layerNorm[T],
		"Relu": relu[T], "Clip": clip[T], "Pow": pow[T],
		"Add": pairwise[T](nn.Add), "Sub": pairwise[T](nn.Sub), "Mul": pairwise[T](nn.Mul), "Div": pairwise[T](nn.Div),
		"Softmax": softmax[T], "ReduceMean": reduceMean[T], "Concat": concat[T], "Split": split[T], "Slice": slice[T], "Pad": pad[T], "Gather": take[T],
		"Flatten": flatten[T], "Reshape": reshape[T], "Transpose": transpose[T], "Squeeze": squeeze[T], "Unsqueeze": unsqueeze[T],
		"Shape": shapeOf[T], "Cast": cast[T], "Identity": identity[T], "Dropout": dropout[T], "Constant": constantOf[T],
	}
	for name, f := range scalars {
		m[name] = mapped[T](f)
	}
	return m
}

// list is a list of integers: an attribute, or in later versions an input.
func (c *context[T]) list(n *node, name string, input int) ([]int, bool) {
	if v, ok := n.lists[name]; ok {
		return v, true
	}
	if v := c.input(n, input); v != nil && v.whole {
		return v.ints, true
	}
	return nil, false
}

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
	switch t := n.tensors["value"]; {
	case t != nil && t.whole:
		c.setInts(n, t.ints, t.shape...)
	case t != nil:
		own := *t
		own.name = n.out[0]
		c.values[n.out[0]] = &value[T]{weight: &own, fixed: true, shape: t.shape}
	case n.lists["value_ints"] != nil:
		c.setInts(n, n.lists["value_ints"], len(n.lists["value_ints"]))
	default:
		if v, ok := n.ints["value_int"]; ok {
			c.setInts(n, []int{v})
			return
		}
		v, ok := n.floats["value_float"]
		if !ok {
			c.fail(n, "it holds neither an array nor a number")
			return
		}
		c.values[n.out[0]] = &value[T]{weight: &tensor{name: n.out[0], floats: []float32{float32(v)}}, fixed: true}
	}
}

func transpose[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	order := n.lists["perm"]
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
func (c *context[T]) moved(n *node, x *value[T], axis int, f func(y gorgoniaNode) gorgoniaNode) {
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
	c.moved(n, x, axis, func(y gorgoniaNode) gorgoniaNode { return c.b.Attention(n.out[0], y) })
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

func concat[T nn.Float](c *context[T], n *node) {
	first := c.input(n, 0)
	axis, ok := axisOf(n.integer("axis", 0), len(first.shape))
	var nodes []gorgoniaNode
	var ints, widths, starts []int
	total, elements := 0, 0
	for i := range n.in {
		v := c.input(n, i)
		same := ok && len(v.shape) == len(first.shape) && v.whole == first.whole
		for a, d := range v.shape {
			same = same && (a == axis || d == first.shape[a])
		}
		if !same {
			c.fail(n, "arrays of shapes %v and %v side by side on axis %d", first.shape, v.shape, n.integer("axis", 0))
			return
		}
		if v.whole {
			ints = append(ints, v.ints...)
		} else {
			nodes = append(nodes, c.array(v))
		}
		widths, starts = append(widths, v.shape[axis]), append(starts, elements)
		total += v.shape[axis]
		elements += product(v.shape)
	}
	shape := slices.Clone(first.shape)
	shape[axis] = total
	if first.whole {
		if len(shape) > 1 {
			c.fail(n, "integers of shape %v", shape)
			return
		}
		c.setInts(n, ints, shape...)
		return
	}
	inner := product(shape[axis+1:])
	var index []int
	for o := range product(shape[:axis]) {
		for k, w := range widths {
			for i := range w * inner {
				index = append(index, starts[k]+o*w*inner+i)
			}
		}
	}
	for i, x := range nodes { // each input is a node of its own
		if slices.Index(nodes, x) != i {
			nodes[i] = c.b.Reshape(fmt.Sprint(n.out[0], " again ", i), x, x.Shape()...)
		}
	}
	c.set(n, c.b.Reshape(n.out[0], c.b.Gather(n.out[0], index, nodes...), shape...), false, shape...)
}

// part makes an array of the indices of an axis the output of a name.
func (c *context[T]) part(name string, x *value[T], axis int, indices []int) {
	shape := slices.Clone(x.shape)
	shape[axis] = len(indices)
	if x.whole {
		out := make([]int, len(indices))
		for i, at := range indices {
			out[i] = x.ints[at]
		}
		c.values[name] = &value[T]{ints: out, whole: true, shape: shape}
		return
	}
	inner, width := product(shape[axis+1:]), x.shape[axis]
	var index []int
	for o := range product(shape[:axis]) {
		for _, at := range indices {
			for i := range inner {
				index = append(index, (o*width+at)*inner+i)
			}
		}
	}
	c.values[name] = &value[T]{node: c.b.Reshape(name, c.b.Gather(name, index, c.array(x)), shape...), shape: shape}
}

func split[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	axis, ok := axisOf(n.integer("axis", 0), len(x.shape))
	sizes, some := c.list(n, "split", 1)
	if ok && !some {
		each := (x.shape[axis] + len(n.out) - 1) / len(n.out)
		for i := range n.out {
			sizes = append(sizes, max(0, min(each, x.shape[axis]-i*each)))
		}
	}
	sum := 0
	for _, s := range sizes {
		sum += s
	}
	if !ok || len(sizes) != len(n.out) || sum != x.shape[axis] || slices.Min(sizes) < 1 || x.whole {
		c.fail(n, "axis %d of the shape %v in parts of %v", n.integer("axis", 0), x.shape, sizes)
		return
	}
	at := 0
	for i, name := range n.out {
		c.part(name, x, axis, span(at, at+sizes[i], 1))
		at += sizes[i]
	}
}

// span lists from, from + step, … before to.
func span(from, to, step int) []int {
	var out []int
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		out = append(out, i)
	}
	return out
}

func slice[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	starts, a := c.list(n, "starts", 1)
	ends, b := c.list(n, "ends", 2)
	axes, some := c.list(n, "axes", 3)
	steps, stepped := c.list(n, "steps", 4)
	if !a || !b || len(starts) != len(ends) || some && len(axes) != len(starts) || stepped && len(steps) != len(starts) {
		c.fail(n, "its bounds are not known before it runs, or not as many as its axes")
		return
	}
	c.values[n.out[0]] = x
	for i := range starts {
		axis, step := i, 1
		if some {
			axis = axes[i]
		}
		if stepped {
			step = steps[i]
		}
		axis, ok := axisOf(axis, len(x.shape))
		if !ok || step == 0 || step == math.MinInt || x.whole && len(x.shape) > 1 {
			c.fail(n, "axis %d of the shape %v by steps of %d", axis, x.shape, step)
			return
		}
		d := c.values[n.out[0]].shape[axis]
		bound := func(v, lo, hi int) int {
			if v < 0 {
				v = max(v, -d-1) + d
			}
			return min(max(v, lo), hi)
		}
		from, to := bound(starts[i], 0, d), bound(ends[i], 0, d)
		if step < 0 {
			from, to = bound(starts[i], 0, d-1), bound(ends[i], -1, d-1)
		}
		list := span(from, to, step)
		if len(list) == 0 && !x.whole {
			c.fail(n, "nothing is left of axis %d of the shape %v", axis, x.shape)
			return
		}
		c.part(n.out[0], c.values[n.out[0]], axis, list)
	}
}

// pad puts zeros around an array.
func pad[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	pads, ok := c.list(n, "pads", 1)
	zero := n.float("value", 0) == 0
	if v := c.input(n, 2); v != nil {
		k := v.constant()
		zero = k != nil && *k == 0
	}
	if mode := n.texts["mode"]; !ok || !zero || x.whole || len(pads) != 2*len(x.shape) || mode != "" && mode != "constant" || c.input(n, 3) != nil {
		c.fail(n, "%v around an array of shape %v, mode %q, want zeros around all axes, as many as are known before it runs", pads, x.shape, mode)
		return
	}
	if !slices.ContainsFunc(pads, func(d int) bool { return d != 0 }) {
		identity(c, n)
		return
	}
	shape := slices.Clone(x.shape)
	for i := range shape {
		if shape[i] += pads[i] + pads[i+len(shape)]; shape[i] < 1 {
			c.fail(n, "%v leave nothing of the shape %v", pads, x.shape)
			return
		}
	}
	index := make([]int, product(shape))
	for i := range index {
		place, step, rest := 0, 1, i
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at := rest%shape[axis] - pads[axis]
			rest /= shape[axis]
			if at < 0 || at >= x.shape[axis] {
				place = -1
				break
			}
			place += at * step
			step *= x.shape[axis]
		}
		index[i] = place
	}
	c.set(n, c.b.Reshape(n.out[0], c.b.Gather(n.out[0], index, c.array(x)), shape...), false, shape...)
}

// take gathers constant indices of an axis.
func take[T nn.Float](c *context[T], n *node) {
	x, at := c.input(n, 0), c.input(n, 1)
	axis, ok := axisOf(n.integer("axis", 0), len(x.shape))
	if !ok || !at.whole || len(at.shape) > 1 || x.whole && len(x.shape) > 1 {
		c.fail(n, "indices of shape %v on axis %d of the shape %v, want integers known before it runs", at.shape, n.integer("axis", 0), x.shape)
		return
	}
	indices := slices.Clone(at.ints)
	for i, v := range indices {
		if v < 0 {
			v += x.shape[axis]
		}
		if indices[i] = v; v < 0 || v >= x.shape[axis] {
			c.fail(n, "index %d of axis %d of the shape %v", at.ints[i], axis, x.shape)
			return
		}
	}
	c.part(n.out[0], x, axis, indices)
	if y := c.values[n.out[0]]; len(at.shape) == 0 {
		c.reshaped(n, y, slices.Delete(slices.Clone(y.shape), axis, axis+1))
	}
}
