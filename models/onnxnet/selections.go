package onnxnet

import (
	"math"
	"slices"

	"hinge/nn"
)

func concat[T nn.Float](c *context[T]) {
	var vs []*value[T]
	for i := range c.n.in {
		vs = append(vs, c.in(i))
	}
	c.out(c.joined(c.axis(vs[0], 1), vs...))
}

func split[T nn.Float](c *context[T]) {
	x := c.in(0)
	axis, ok := axisOf(c.n.integer("axis", 0), len(x.shape))
	sizes, some := c.list("split", 1)
	if ok && !some {
		each := (x.shape[axis] + len(c.n.out) - 1) / len(c.n.out)
		for i := range c.n.out {
			sizes = append(sizes, max(0, min(each, x.shape[axis]-i*each)))
		}
	}
	sum := 0
	for _, s := range sizes {
		sum += s
	}
	if !ok || len(sizes) != len(c.n.out) || sum != x.shape[axis] || slices.Min(sizes) < 0 {
		c.fail("axis %d of the shape %v in parts of %v", c.n.integer("axis", 0), x.shape, sizes)
	}
	var parts []*value[T]
	at := 0
	for i, s := range sizes {
		if parts = append(parts, nil); c.f.counts[c.n.out[i]] > 0 {
			parts[i] = c.taken(x, axis, span(at, at+s, 1))
		}
		at += s
	}
	c.out(parts...)
}

func slice[T nn.Float](c *context[T]) {
	x := c.in(0)
	stop := c.in(2)
	starts, a := c.list("starts", 1)
	ends, b := c.list("ends", 2)
	axes, some := c.list("axes", 3)
	steps, stepped := c.list("steps", 4)
	if !a || !b || len(starts) != len(ends) || some && len(axes) != len(starts) || stepped && len(steps) != len(starts) {
		c.fail("its bounds are not known before it runs, or not as many as its axes")
	}
	last := slices.Clone(ends)
	for i := range starts {
		axis, step := i, 1
		if some {
			axis = axes[i]
		}
		if stepped {
			step = steps[i]
		}
		axis, ok := axisOf(axis, len(x.shape))
		if !ok || step == 0 || step == math.MinInt64 {
			c.fail("axis %d of the shape %v by steps of %d", axis, x.shape, step)
		}
		if stop != nil && stop.next != nil && int(stop.next[i]) != ends[i] && (x.at.of != examples || x.at.axis != axis) {
			c.counts(stop)
		}
		d := c.nominal(x)[axis]
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
		if from == 0 && to == d && step == 1 { // all, of whatever batch
			if c.f.batch > 0 && x.at.of == examples && x.at.axis == axis {
				if c.n.attributes["ends"] != nil {
					c.part.fixed = "the end of " + c.n.title() + " is that of a fixed batch"
				}
				last[i] = math.MaxInt64
				c.part.put(c.n, 2, integers(last...))
			}
			continue
		}
		x = c.taken(x, axis, span(from, to, step))
	}
	if x.weight != nil {
		identity(c)
		return
	}
	still := *x
	still.main = nil
	c.out(&still)
}

// pad puts numbers around an array.
func pad[T nn.Float](c *context[T]) {
	x := c.in(0)
	pads, ok := c.list("pads", 1)
	if c.n.attributes["paddings"] != nil {
		pads, ok = c.n.list("paddings"), true
	}
	edge, mode := c.n.float("value", 0), c.n.text("mode", "constant")
	if v := c.in(2); v != nil && mode == "constant" {
		k := c.one(v)
		if k == nil {
			c.fail("what it pads with is not known before it runs")
		}
		edge = *k
	}
	axes := span(0, len(x.shape), 1)
	if v := c.in(3); v != nil {
		axes, _ = c.axes(3, len(x.shape))
	}
	if !ok || len(pads) != 2*len(axes) {
		c.fail("%v around the axes %v of the shape %v, want two an axis, known before it runs", pads, axes, x.shape)
	}
	y := x
	for i, axis := range axes {
		before, after, d := pads[i], pads[i+len(axes)], y.shape[axis]
		if before == 0 && after == 0 {
			continue
		}
		c.room(max(before, -before))
		c.room(max(after, -after))
		c.room(product(y.shape)/max(d, 1), max(0, before+d+after))
		cut, left := max(0, -before), d+min(0, after) // what is left is wrapped
		var list []int
		for p := -before; p < d+after; p++ {
			at := p
			switch {
			case p >= 0 && p < d:
			case mode == "constant":
				at = -1
			case mode == "edge":
				at = min(max(p, 0), d-1)
			case mode == "wrap" && cut < left:
				at = cut + ((p-cut)%(left-cut)+left-cut)%(left-cut)
			case mode == "reflect" && d > 1:
				at = (p%(2*d-2) + 2*d - 2) % (2*d - 2)
				at = min(at, 2*d-2-at)
			default:
				c.fail("%d and %d around axis %d of the shape %v, mode %q", before, after, axis, x.shape, mode)
			}
			list = append(list, at)
		}
		if len(list) == 0 {
			c.fail("%v leave nothing of the shape %v", pads, x.shape)
		}
		y = c.padded(y, axis, list, edge)
	}
	if y == x {
		identity(c)
		return
	}
	c.out(y)
}

// padded takes indices of an axis, a number where they are negative.
func (c *context[T]) padded(x *value[T], axis int, list []int, edge float64) *value[T] {
	if edge == 0 || !slices.Contains(list, -1) {
		return c.taken(x, axis, list)
	}
	s := slices.Clone(x.shape)
	s[axis] = 1
	if x.at.of == examples && x.at.axis == axis {
		c.mix("it pads the examples")
	}
	around := c.constant(x.kind, slices.Repeat([]float64{edge}, product(s)), s...)
	around.at = x.at
	wide := c.joined(axis, x, around)
	list = slices.Clone(list)
	for i, at := range list {
		if at < 0 {
			list[i] = x.shape[axis]
		}
	}
	return c.taken(wide, axis, list)
}

// gather takes indices of an axis: known ones of any array, or rows of a table by numbers that
// the examples hold.
func gather[T nn.Float](c *context[T]) {
	x, at := c.in(0), c.in(1)
	axis := c.axis(x, 0)
	shape := slices.Concat(x.shape[:axis], at.shape, x.shape[axis+1:])
	if at.known == nil {
		c.rowsOf(x, at, axis)
		return
	}
	c.counts(at)
	indices := at.ints()
	for i, v := range indices {
		if v < 0 {
			v += x.shape[axis]
		}
		if indices[i] = v; v < 0 || v >= x.shape[axis] {
			c.fail("index %d of axis %d of the shape %v", at.ints()[i], axis, x.shape)
		}
	}
	y := c.taken(x, axis, indices)
	to := y.at
	switch {
	case to.of == nowhere && at.at.of == examples:
		to = at.at
		to.axis += axis
	case to.of == examples && to.axis > axis:
		to.axis += len(at.shape) - 1
	}
	if len(at.shape) != 1 {
		y = c.framed(y, to, shape...)
	}
	y.at = to
	c.out(y)
}

func (c *context[T]) rowsOf(x, at *value[T], axis int) {
	if axis != 0 || x.at.of != nowhere {
		c.fail("indices that are not known before it runs on axis %d of the shape %v, want the first of a table", axis, x.shape)
	}
	width := product(x.shape[1:])
	table, index := c.array(c.shaped(x, x.shape[0], width)), c.array(at)
	node, shape := c.b.Rows(c.n.out[0], table, index), append(slices.Clone(at.shape), x.shape[1:]...)
	c.out(&value[T]{node: c.b.Reshape(c.label("rows"), node, sides(shape)...), shape: shape, kind: x.kind, at: at.at})
}
