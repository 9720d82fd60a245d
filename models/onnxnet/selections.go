package onnxnet

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

func concat[T nn.Float](c *context[T], n *node) {
	first := c.input(n, 0)
	axis, ok := axisOf(n.integer("axis", 0), len(first.shape))
	var nodes []*gorgonia.Node
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
	if mode := n.attributes["mode"].text; !ok || !zero || x.whole || len(pads) != 2*len(x.shape) || mode != "" && mode != "constant" || c.input(n, 3) != nil {
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
