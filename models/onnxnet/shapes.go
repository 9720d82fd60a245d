package onnxnet

import (
	"math"
	"slices"

	"hinge/nn"
)

// target is x in a shape that is meant for the batch of the file.
func (c *context[T]) target(x *value[T], shape []int) {
	have := c.nominal(x)
	if product(shape) != product(have) || slices.Min(append([]int{1}, shape...)) < 0 {
		c.fail("an array of shape %v as %v; where the first axis is the batch, export with a free one", have, shape)
	}
	y := c.actual(shape, place{})
	if c.f.batch > 0 && x.at.of == examples {
		p, ok, clear := locate(shape, c.before(x), c.f.batch)
		switch {
		case !ok:
			c.mix("an array of shape %v as %v", have, shape)
		case !clear:
			c.fail("the batch of one that the file fixes may be on several axes of %v; export with a free batch, or one of two", shape)
		default:
			y = c.actual(shape, p)
			c.part.reshape(c.n, shape, p.axis, -1)
		}
	}
	c.out(c.shaped(x, y...))
}

func reshape[T nn.Float](c *context[T]) {
	x := c.in(0)
	to, _ := c.list("shape", 1)
	whole := func(to, have []int) []int { // without 0 and -1
		shape, free := slices.Clone(to), -1
		for i, d := range shape {
			switch {
			case d == 0 && c.n.integer("allowzero", 0) == 0 && i < len(have):
				shape[i] = have[i]
			case d == -1:
				free = i
			}
		}
		if free >= 0 {
			shape[free] = 1
			if rest := product(shape); rest > 0 && product(have)%rest == 0 {
				shape[free] = product(have) / rest
			}
		}
		return shape
	}
	shape := whole(to, c.nominal(x))
	if x.at.of == examples && c.f.batch == 0 && c.b.Batch > 1 { // the examples stay where they are in another batch
		if v := c.in(1); v != nil && v.next != nil {
			to = (&value[T]{known: v.next}).ints()
		}
		here, _, _ := locate(shape, c.before(x), c.b.Batch)
		if there, ok, _ := locate(whole(to, c.nextShape(x)), c.before(x), c.b.Batch+1); !ok || here != there {
			c.mix("an array of shape %v as %v, with the examples elsewhere in another batch", x.shape, shape)
		}
	}
	c.target(x, shape)
}

func flatten[T nn.Float](c *context[T]) {
	x := c.in(0)
	axis := c.n.integer("axis", 1)
	if axis < 0 {
		axis += len(x.shape)
	}
	if axis < 0 || axis > len(x.shape) {
		c.fail("axis %d of the shape %v", axis, x.shape)
	}
	c.out(c.shaped(x, product(x.shape[:axis]), product(x.shape[axis:])))
}

// refit is x with axes of length 1 more or less, the examples in their place.
func (c *context[T]) refit(x *value[T], shape []int, move func(axis int) int) {
	at := x.at
	if at.of == examples {
		at.axis = move(at.axis)
	}
	c.out(c.framed(x, at, shape...))
}

func squeeze[T nn.Float](c *context[T]) {
	x := c.in(0)
	axes, some := c.axes(1, len(x.shape))
	shape, from := []int{}, []int{}
	for i, d := range x.shape {
		gone := slices.Contains(axes, i)
		if gone && d != 1 {
			c.fail("axis %d of the shape %v, want one of length 1", i, x.shape)
		}
		if !gone && (some || d != 1) {
			shape, from = append(shape, d), append(from, i)
		}
	}
	if x.at.of == examples && !slices.Contains(from, x.at.axis) {
		x.at = c.mix("it leaves out the axis of the examples")
	}
	c.refit(x, shape, func(axis int) int { return slices.Index(from, axis) })
}

func unsqueeze[T nn.Float](c *context[T]) {
	x := c.in(0)
	list, _ := c.list("axes", 1)
	axes, _ := c.axes(1, len(x.shape)+len(list))
	shape, from := []int{}, []int{}
	for i := range len(x.shape) + len(axes) {
		if slices.Contains(axes, i) {
			shape, from = append(shape, 1), append(from, -1)
		} else {
			from = append(from, len(slices.DeleteFunc(slices.Clone(from), func(i int) bool { return i < 0 })))
			shape = append(shape, x.shape[from[i]])
		}
	}
	c.refit(x, shape, func(axis int) int { return slices.Index(from, axis) })
}

func transpose[T nn.Float](c *context[T]) {
	x := c.in(0)
	order := c.n.list("perm")
	if order == nil {
		order = span(len(x.shape)-1, -1, -1)
	}
	if s := slices.Sorted(slices.Values(order)); !slices.Equal(s, span(0, len(x.shape), 1)) {
		c.fail("the order %v of the axes of %v", order, x.shape)
	}
	c.out(c.permuted(x, order...))
}

// shapeOf is the shape for the batch of the file.
func shapeOf[T nn.Float](c *context[T]) {
	s := c.nominal(c.in(0))
	bound := func(v int) int {
		if v < 0 {
			v += len(s)
		}
		return min(max(v, 0), len(s))
	}
	from, to := bound(c.n.integer("start", 0)), bound(c.n.integer("end", len(s)))
	s = s[from:max(from, to)]
	c.measured(doublesOf(s), doublesOf(c.nextShape(c.in(0))[from:max(from, to)]), len(s))
}

func sizeOf[T nn.Float](c *context[T]) {
	c.measured([]float64{float64(product(c.nominal(c.in(0))))}, []float64{float64(product(c.nextShape(c.in(0))))})
}

// measured are numbers of a shape, for the batch of the graph and the next; a batch that the
// file fixes keeps them.
func (c *context[T]) measured(numbers, next []float64, shape ...int) {
	if c.f.batch > 0 {
		c.part.known[c.n] = &tensor{kind: kindInt64, shape: shape, doubles: numbers}
	}
	y := c.constant(kindInt64, numbers, shape...)
	if !slices.Equal(numbers, next) {
		y.next = next
	}
	c.out(y)
}

// nextShape is nominal for a batch of one more, where the file fixes none.
func (c *context[T]) nextShape(x *value[T]) []int {
	s := c.nominal(x)
	if x.at.of == examples && c.f.batch == 0 {
		s[x.at.axis] += x.at.outer * x.at.inner
	}
	return s
}

// grown is the place of the examples in an array that a list of lengths makes of a constant: the axis
// that is longer in a larger batch has as many rows for each of them.
func (c *context[T]) grown(lengths []int, list *value[T]) (p place) {
	if list == nil {
		return p
	}
	for i, d := range list.next {
		axis := i + len(lengths) - len(list.next)
		switch more := int(d) - lengths[axis]; {
		case more == 0:
		case p.of != nowhere || more*c.b.Batch != lengths[axis]:
			return c.mix("it makes a constant of other lengths than the batch in another batch")
		default:
			p = place{examples, axis, 1, more}
		}
	}
	return p
}

// expand broadcasts to a shape that is meant for the batch of the file.
func expand[T nn.Float](c *context[T]) {
	x := c.in(0)
	to, _ := c.list("shape", 1)
	shape, ok := broadcast(c.nominal(x), to)
	if !ok {
		c.fail("an array of shape %v as %v", c.nominal(x), to)
	}
	at := x.at
	at.axis += len(shape) - len(x.shape)
	if v := c.in(1); at.of == examples && v.next != nil {
		for i, d := range v.next {
			if axis := i + len(shape) - len(to); axis != at.axis && int(d) != to[i] {
				c.counts(v)
			}
		}
	}
	if at.of == examples && c.f.batch > 0 {
		c.part.reshape(c.n, shape, at.axis, 1)
	}
	c.room(shape...)
	y := c.spread(x, c.actual(shape, at))
	if x.at.of == nowhere {
		y.at = c.grown(slices.Concat(shape[:len(shape)-len(to)], to), c.in(1))
	}
	c.out(y)
}

func tile[T nn.Float](c *context[T]) {
	x := c.in(0)
	times, ok := c.list("repeats", 1)
	if !ok || len(times) != len(x.shape) || slices.Min(append([]int{1}, times...)) < 1 {
		c.fail("%v repeats of the shape %v, want one an axis, known before it runs", times, x.shape)
	}
	if v := c.in(1); v != nil && v.next != nil {
		for axis, n := range v.next {
			if int(n) != times[axis] && x.shape[axis] != 1 {
				c.counts(v) // one example repeated is that of each in any batch
			}
		}
	}
	still := x.at.of == nowhere
	for axis, n := range times {
		if n > 1 {
			c.room(product(x.shape), n)
			var list []int
			for range n {
				list = append(list, span(0, x.shape[axis], 1)...)
			}
			x = c.taken(x, axis, list)
		}
	}
	if at := c.grown(times, c.in(1)); still && at.of != nowhere {
		y := *x
		y.at = at
		x = &y
	}
	c.out(x)
}

func constantOfShape[T nn.Float](c *context[T]) {
	shape, _ := c.list("shape", 0)
	c.room(shape...)
	kind, v := kindFloat, 0.0
	if t := c.n.value; t != nil && t.size() == 1 {
		kind, v = t.kind, t.at(0)
	}
	y := c.constant(kind, slices.Repeat([]float64{v}, product(shape)), shape...)
	y.at = c.grown(shape, c.in(0))
	c.out(y)
}

func rangeOf[T nn.Float](c *context[T]) {
	from, to, step := c.one(c.in(0)), c.one(c.in(1)), c.one(c.in(2))
	if from == nil || to == nil || step == nil || *step == 0 || math.IsInf(*step, 0) || !((*to-*from) / *step <= 1<<24) {
		c.fail("its bounds are not known before it runs, no numbers, or too far apart")
	}
	var list []float64
	for i := 0; ; i++ {
		v := *from + float64(i)**step
		if *step > 0 && v >= *to || *step < 0 && v <= *to {
			break
		}
		list = append(list, v)
	}
	c.out(c.constant(c.in(0).kind, list, len(list)))
}

// depthToSpace makes squares of channels, spaceToDepth channels of squares.
func depthToSpace[T nn.Float](c *context[T]) {
	x, k := c.in(0), c.n.integer("blocksize", 0)
	if len(x.shape) != 4 || k < 1 || x.shape[1]%(k*k) != 0 {
		c.fail("squares of %d of the shape %v", k, x.shape)
	}
	n, d, h, w := x.shape[0], x.shape[1]/(k*k), x.shape[2], x.shape[3]
	y := c.permuted(c.shaped(x, n, k, k, d, h, w), 0, 3, 4, 1, 5, 2)
	if c.n.text("mode", "DCR") == "CRD" {
		y = c.permuted(c.shaped(x, n, d, k, k, h, w), 0, 1, 4, 2, 5, 3)
	}
	c.out(c.shaped(y, n, d, h*k, w*k))
}

func spaceToDepth[T nn.Float](c *context[T]) {
	x, k := c.in(0), c.n.integer("blocksize", 0)
	if len(x.shape) != 4 || k < 1 || x.shape[2]%k != 0 || x.shape[3]%k != 0 {
		c.fail("squares of %d of the shape %v", k, x.shape)
	}
	n, d, h, w := x.shape[0], x.shape[1], x.shape[2]/k, x.shape[3]/k
	y := c.permuted(c.shaped(x, n, d, h, k, w, k), 0, 3, 5, 1, 2, 4)
	c.out(c.shaped(y, n, d*k*k, h, w))
}
