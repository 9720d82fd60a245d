package onnxnet

import "slices"

// Where the examples of a batch lie in an array: nowhere, along one axis of outer·N·inner
// numbers, or mixed with one another.
const (
	nowhere = iota
	examples
	mixed
)

type place struct{ of, axis, outer, inner int }

// on is the place on another axis, where there are examples.
func (p place) on(axis int) place {
	if p.of == examples {
		p.axis = axis
	}
	return p
}

// mix notes that examples of a batch are mixed, which is not seen in a batch of one.
func (c *context[T]) mix(format string, args ...any) place {
	if c.b.Batch > 1 {
		c.b.Couple(c.place(), format+", so it is no function of one example at a time", args...)
	}
	return place{of: mixed}
}

// along is the place behind an operation along some axes of a value, which may not be the
// examples'.
func (c *context[T]) along(v *value[T], axes ...int) place {
	if v.at.of == examples && slices.Contains(axes, v.at.axis) {
		return c.mix("it works along axis %d of the shape %v, that of the examples", v.at.axis, v.shape)
	}
	return v.at
}

// together is the place in arrays that are broadcast to some rank.
func (c *context[T]) together(rank int, vs ...*value[T]) place {
	var p place
	for _, v := range vs {
		p = c.beside(p, v, rank, "it joins arrays with the examples on axes %d and %d")
	}
	return p
}

// beside is the place in arrays of some rank where the examples of other arrays are at p, and those of v
// where it has them; problem says what does not fit.
func (c *context[T]) beside(p place, v *value[T], rank int, problem string) place {
	q := v.at
	q.axis += rank - len(v.shape)
	switch {
	case q.of == nowhere:
		return p
	case q.of == mixed || p.of == mixed:
		return place{of: mixed}
	case p.of == nowhere || c.b.Batch == 1:
		return q
	case p != q:
		return c.mix(problem, p.axis, q.axis)
	}
	return p
}

// locate finds, in a shape for a batch of n, the axis of the examples that have before numbers
// before them; known is false where it is not clear in a batch of one.
func locate(shape []int, before, n int) (p place, ok, clear bool) {
	var found []place
	ahead := 1
	for axis, d := range shape {
		if ahead > 0 && before%ahead == 0 && d > 0 && d%(before/ahead*n) == 0 {
			found = append(found, place{examples, axis, before / ahead, d / (before / ahead * n)})
		}
		ahead *= d
	}
	if len(found) == 0 {
		return place{of: mixed}, false, true
	}
	alone := slices.IndexFunc(found, func(p place) bool { return p.outer == 1 && p.inner == 1 })
	return found[max(alone, 0)], true, n > 1 || len(found) == 1 || alone >= 0
}

// nominal is the shape of a value for the batch that the file fixes, in which the numbers of
// the file are meant.
func (c *context[T]) nominal(v *value[T]) []int {
	return v.at.sized(v.shape, c.f.batch)
}

// actual is a shape that is meant for the file's batch, with the examples in some place, for
// the batch of the graph.
func (c *context[T]) actual(shape []int, p place) []int {
	if c.f.batch > 0 {
		return p.sized(shape, c.b.Batch)
	}
	return slices.Clone(shape)
}

// sized is a shape with as many examples as a batch has, unless that is 0.
func (p place) sized(shape []int, batch int) []int {
	s := slices.Clone(shape)
	if p.of == examples && batch > 0 {
		s[p.axis] = p.outer * batch * p.inner
	}
	return s
}

// shared is an array without examples beside one with them on an axis: a fixed batch of equal
// numbers stands for each of them.
func (c *context[T]) shared(v *value[T], axis int) *value[T] {
	if v.at.of != nowhere || axis < 0 || axis >= len(v.shape) || v.shape[axis] <= 1 {
		return v
	}
	if slices.Contains(v.uniform, axis) {
		c.alone(v, axis)
		return c.taken(v, axis, []int{0})
	}
	if !v.static() {
		return v
	}
	numbers := v.numbers()
	inner, d := product(v.shape[axis+1:]), v.shape[axis]
	for i, x := range numbers {
		if first := numbers[i-i/inner%d*inner]; x != first && !(x != x && first != first) {
			c.mix("it holds other numbers for each of %d examples (an array of shape %v)", d, v.shape)
			return v
		}
	}
	c.alone(v, axis)
	still := *v
	still.known, still.weight, still.node = numbers, nil, nil
	return c.taken(&still, axis, []int{0})
}

// alone tells the part that one example of an input on an axis stands for each: the file has it
// for its own batch.
func (c *context[T]) alone(v *value[T], axis int) {
	found := false
	for i, name := range c.n.in {
		if name != "" && c.values[name] == v {
			if found = true; c.part.single[c.n] == nil {
				c.part.single[c.n] = map[int][2]int{}
			}
			c.part.single[c.n][i] = [2]int{axis, len(v.shape) - 1 - axis}
		}
	}
	if !found {
		c.part.fixed = "what " + c.n.title() + " makes of a constant is meant for a fixed batch"
	}
}
