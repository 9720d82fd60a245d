package onnxnet

import (
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// What operators are made of: functions of values that know where the examples are.

// axisOf counts from the end where it is negative; false where there is none.
func axisOf(axis, rank int) (int, bool) {
	if axis < 0 {
		axis += rank
	}
	return axis, axis >= 0 && axis < rank
}

// axis is the axis of x that the node names by its attribute.
func (c *context[T]) axis(x *value[T], without int) int {
	given := c.n.integer("axis", without)
	axis, ok := axisOf(given, len(x.shape))
	if !ok {
		c.fail("axis %d of the shape %v", given, x.shape)
	}
	return axis
}

// axes are those of a node, by its attribute or a later input, all counted from the front.
func (c *context[T]) axes(input, rank int) (axes []int, some bool) {
	list, some := c.list("axes", input)
	for _, a := range list {
		axis, ok := axisOf(a, rank)
		if !ok || slices.Contains(axes, axis) {
			c.fail("the axes %v of an array of %d", list, rank)
		}
		axes = append(axes, axis)
	}
	return axes, some
}

// list is a list of integers: an attribute, or in later versions an input, which has to be known.
func (c *context[T]) list(name string, input int) ([]int, bool) {
	if c.n.attributes[name] != nil {
		return c.n.list(name), true
	}
	v := c.in(input)
	if v == nil {
		return nil, false
	}
	if v.known == nil {
		c.fail("its %s are not known before it runs", name)
	}
	if name != "shape" && name != "ends" && name != "repeats" {
		c.counts(v)
	}
	return v.ints(), true
}

// transposition lists the elements of an array of a shape whose axis i is axis order[i] of it.
func transposition(shape []int, order ...int) []int {
	out, by := make([]int, len(shape)), make([]int, len(shape))
	for i, axis := range order {
		out[i], by[i] = shape[axis], product(shape[axis+1:])
	}
	return strided(out, by)
}

// strided lists the sums of steps times indices of a shape.
func strided(shape, steps []int) []int {
	index := make([]int, 0, product(shape))
	each(shape, func(at []int) {
		place := 0
		for axis, k := range at {
			place += k * steps[axis]
		}
		index = append(index, place)
	})
	return index
}

// permuted moves axes: axis i of the result is axis order[i] of x.
func (c *context[T]) permuted(x *value[T], order ...int) *value[T] {
	if slices.IsSorted(order) {
		return x
	}
	shape := make([]int, len(order))
	for i, axis := range order {
		shape[i] = x.shape[axis]
	}
	y := c.elements(shape, transposition(x.shape, order...), x)
	if y.at = x.at; y.at.of == examples {
		y.at.axis = slices.Index(order, x.at.axis)
	}
	return y
}

// shaped has the same elements in another shape, for the batch of the graph.
func (c *context[T]) shaped(x *value[T], shape ...int) *value[T] {
	if product(shape) != product(x.shape) {
		c.fail("an array of shape %v as %v; where the first axis is the batch, export with a free one", x.shape, shape)
	}
	y := &value[T]{shape: shape, kind: x.kind, known: x.known, next: x.next, at: x.at}
	if x.at.of == examples {
		var ok bool
		if y.at, ok, _ = locate(shape, c.before(x), c.b.Batch); !ok {
			y.at = c.mix("an array of shape %v as %v", x.shape, shape)
		}
	}
	if x.known == nil {
		node := c.array(x)
		y.node = c.b.Reshape(c.label("shape"), node, sides(shape)...)
	}
	return y
}

// framed has the same elements in another shape, with the examples where a place of it says.
func (c *context[T]) framed(x *value[T], at place, shape ...int) *value[T] {
	still := *x
	still.at = place{}
	y := c.shaped(&still, shape...)
	y.at = at
	return y
}

// before counts the numbers before the examples.
func (c *context[T]) before(x *value[T]) int { return product(x.shape[:x.at.axis]) * x.at.outer }

// taken has some of the indices of an axis.
func (c *context[T]) taken(x *value[T], axis int, indices []int) *value[T] {
	shape := slices.Clone(x.shape)
	shape[axis] = len(indices)
	inner, width := product(shape[axis+1:]), x.shape[axis]
	index := make([]int, 0, product(shape))
	for o := range product(shape[:axis]) {
		for _, at := range indices {
			for i := range inner {
				if at < 0 {
					index = append(index, -1)
				} else {
					index = append(index, (o*width+at)*inner+i)
				}
			}
		}
	}
	y := c.elements(shape, index, x)
	y.at = x.at
	if x.at.of == examples && axis == x.at.axis && !slices.Equal(indices, span(0, width, 1)) {
		y.at = c.mix("it takes some of the examples")
	}
	return y
}

// span lists from, from + step, … before to.
func span(from, to, step int) []int {
	out := []int{}
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		out = append(out, i)
	}
	return out
}

// joined puts arrays one after the other on an axis.
func (c *context[T]) joined(axis int, vs ...*value[T]) *value[T] {
	at := c.together(len(vs[0].shape), vs...)
	if at.of == examples {
		if at.axis == axis {
			at = c.mix("it puts arrays behind the examples")
		} else {
			for i, v := range vs {
				w := c.shared(v, at.axis)
				if w == v && v.at.of == nowhere && v.shape[at.axis] == 1 {
					c.alone(v, at.axis)
				}
				if v.at.of == nowhere && w.shape[at.axis] == 1 {
					if at.outer*at.inner > 1 {
						c.part.fixed = c.n.title() + " puts a constant beside several rows of each example of a fixed batch"
					}
					s := slices.Clone(w.shape)
					s[at.axis] = at.outer * c.b.Batch * at.inner
					vs[i] = c.spread(w, s)
				}
			}
		}
	}
	var widths, starts []int
	elements := 0
	shape := slices.Clone(vs[0].shape)
	shape[axis] = 0
	for _, v := range vs {
		for a, d := range v.shape {
			if len(v.shape) != len(shape) || a != axis && d != shape[a] {
				c.fail("arrays of shapes %v and %v side by side on axis %d", vs[0].shape, v.shape, axis)
			}
		}
		widths, starts = append(widths, v.shape[axis]), append(starts, elements)
		shape[axis] += v.shape[axis]
		elements += product(v.shape)
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
	vs = slices.DeleteFunc(slices.Clone(vs), func(v *value[T]) bool { return product(v.shape) == 0 })
	if len(vs) == 0 {
		return c.constant(kindInt64, nil, shape...)
	}
	y := c.elements(shape, index, vs...)
	y.at = at
	return y
}

// broadcast is the shape of two arrays together.
func broadcast(a, b []int) ([]int, bool) {
	n := max(len(a), len(b))
	a, b = padded(a, n), padded(b, n)
	out := make([]int, n)
	for i := range out {
		switch {
		case a[i] == b[i] || b[i] == 1:
			out[i] = a[i]
		case a[i] == 1:
			out[i] = b[i]
		default:
			return nil, false
		}
	}
	return out, true
}

// padded puts ones before a shape.
func padded(s []int, n int) []int { return append(slices.Repeat([]int{1}, max(0, n-len(s))), s...) }

// spread repeats an array to a shape that it can be broadcast to.
func (c *context[T]) spread(x *value[T], to []int) *value[T] {
	full := padded(x.shape, len(to))
	if slices.Equal(full, to) && len(full) == len(x.shape) {
		return x
	}
	steps := make([]int, len(to))
	uniform := []int{}
	for i := range to {
		if full[i] == to[i] {
			steps[i] = product(full[i+1:])
		} else {
			uniform = append(uniform, i)
		}
	}
	y := c.elements(to, strided(to, steps), x)
	if y.at = x.at; x.at.of == examples {
		y.at.axis += len(to) - len(x.shape)
	} else {
		y.uniform = uniform
	}
	return y
}

// aligned are arrays for an operation element by element: of one shape, with the place of the
// examples in it.
func (c *context[T]) aligned(vs ...*value[T]) ([]*value[T], []int, place) {
	rank := 0
	for _, v := range vs {
		rank = max(rank, len(v.shape))
	}
	at := c.together(rank, vs...)
	shape := []int{}
	for i, v := range vs {
		if at.of == examples {
			vs[i] = c.shared(v, at.axis-rank+len(v.shape))
		}
		next, ok := broadcast(shape, vs[i].shape)
		if !ok {
			c.fail("arrays of shapes %v and %v", shape, vs[i].shape)
		}
		shape = next
	}
	if at.of == examples && shape[at.axis] != at.outer*c.b.Batch*at.inner {
		at = c.mix("it joins an axis of %d numbers with that of the examples", shape[at.axis])
	}
	return vs, shape, at
}

// mapped applies a function of one number.
func (c *context[T]) mapped(x *value[T], f nn.Scalar) *value[T] {
	y := &value[T]{shape: x.shape, maps: x.maps, kind: x.kind, at: x.at, uniform: x.uniform}
	if x.known != nil {
		return folded(y, func(of func(v *value[T]) []float64) []float64 {
			out := make([]float64, len(x.known))
			for i, v := range of(x) {
				out[i] = f.Value(v)
			}
			return out
		}, x)
	}
	c.materialise(x)
	y.node = c.b.Map(c.label("map"), x.node, f)
	return y
}

// whole rounds integers as their kind asks.
func (c *context[T]) whole(x *value[T]) *value[T] {
	if fractional(x.kind) {
		return x
	}
	return c.mapped(x, scalar("whole", func(v float64) float64 { return rounded(v, x.kind) }, always(0)))
}

// product multiplies the matrices of the last two axes; axes before them are broadcast.
func (c *context[T]) multiplied(x, y *value[T]) *value[T] {
	p, q := len(x.shape), len(y.shape)
	if p < 2 || q < 2 || x.shape[p-1] != y.shape[q-2] || product(x.shape) == 0 || product(y.shape) == 0 {
		c.fail("matrices of shapes %v and %v", x.shape, y.shape)
	}
	rank := max(p, q)
	at := place{}
	for _, v := range []*value[T]{x, y} { // the place among the axes of the result
		sum := len(v.shape) - 1
		if v == y {
			sum--
		}
		if v.at.of == examples && at.of != mixed && v.at.axis == sum {
			at = c.mix("it sums over the examples")
			continue
		}
		at = c.beside(at, v, rank, "it multiplies arrays with the examples on axes %d and %d")
	}
	if at.of == examples && at.axis < rank-2 {
		x, y = c.shared(x, at.axis-rank+p), c.shared(y, at.axis-rank+q)
	}
	m, k, n := x.shape[p-2], x.shape[p-1], y.shape[q-1]
	if q == 2 { // one product of all rows
		shape := append(slices.Clone(x.shape[:p-1]), n)
		a, b := c.array(x), c.array(y)
		z := c.b.MatMul(c.label("product"), c.b.Reshape(c.label("rows"), a, product(x.shape[:p-1]), k), b)
		return c.whole(&value[T]{node: c.b.Reshape(c.label("product"), z, shape...), shape: shape, kind: x.kind, at: at})
	}
	lead, ok := broadcast(x.shape[:p-2], y.shape[:q-2])
	if !ok {
		c.fail("matrices of shapes %v and %v", x.shape, y.shape)
	}
	a, b := c.array(c.spread(x, append(slices.Clone(lead), m, k))), c.array(c.spread(y, append(slices.Clone(lead), k, n)))
	return c.whole(&value[T]{node: c.b.MatMul(c.label("product"), a, b), shape: append(slices.Clone(lead), m, n), kind: x.kind, at: at})
}

// lastly is the order of axes in which one changes places with the last.
func lastly(axis, rank int) []int {
	order := span(0, rank, 1)
	order[axis], order[rank-1] = rank-1, axis
	return order
}

// last calls f with an array whose axis is the last, and moves the result back.
func (c *context[T]) last(x *value[T], axis int, f func(y *gorgonia.Node) *gorgonia.Node) *value[T] {
	at := c.along(x, axis)
	order := lastly(axis, len(x.shape))
	y := c.permuted(x, order...)
	z := c.permuted(&value[T]{node: f(c.array(y)), shape: y.shape, kind: x.kind, at: y.at}, order...)
	z.at = at
	return z
}
