package onnxnet

import (
	"slices"

	"hinge/nn"
)

// recurrent is LSTM, GRU or RNN (gates of 4, 3 or 1), a step after the other.
func recurrent[T nn.Float](gates int) operator[T] {
	return func(c *context[T]) {
		x, w, r, b := c.in(0), c.in(1), c.in(2), c.in(3)
		batchFirst := c.n.integer("layout", 0) == 1
		if len(x.shape) != 3 || len(w.shape) != 3 || len(r.shape) != 3 || w.shape[1]%gates != 0 {
			c.fail("an input of shape %v with weights of %v and %v", x.shape, w.shape, r.shape)
		}
		if batchFirst {
			x = c.permuted(x, 1, 0, 2)
		}
		steps, n, width := x.shape[0], x.shape[1], w.shape[1]/gates
		directions := map[string][]bool{"forward": {false}, "reverse": {true}, "bidirectional": {false, true}}[c.n.text("direction", "forward")]
		if lengths := c.in(4); lengths != nil && slices.ContainsFunc(lengths.numbers(), func(v float64) bool { return int(v) != steps }) || lengths != nil && lengths.known == nil {
			c.fail("sequences of several lengths, want each of %d steps", steps)
		}
		c.part.put(c.n, 4, nil)
		usual := map[int][]string{4: {"Sigmoid", "Tanh", "Tanh"}, 3: {"Sigmoid", "Tanh"}, 1: {"Tanh"}}[gates]
		named := c.n.attributes["activations"].GetStrings()
		for i, a := range named {
			if string(a) != usual[i%len(usual)] && !(gates == 1 && string(a) == "Relu") {
				c.fail("the activation %s, want %v", a, usual)
			}
		}
		if len(directions) != w.shape[0] || len(directions) != r.shape[0] || c.n.attributes["clip"] != nil || c.n.integer("input_forget", 0) != 0 || c.in(7) != nil {
			c.fail("direction %q with weights of %d, or a clip, input_forget or peepholes, which are not understood", c.n.text("direction", "forward"), w.shape[0])
		}
		var ys, hs, cs []*value[T]
		for d, back := range directions {
			of := func(v *value[T]) *value[T] { // that of a direction
				if v == nil {
					return nil
				}
				v = c.taken(v, 0, []int{d})
				return c.shaped(v, v.shape[1:]...)
			}
			start := func(i int) *value[T] { // [N][H]
				v := c.in(i)
				if v == nil {
					return c.constant(x.kind, make([]float64, width), 1, width)
				}
				axis := 1
				if batchFirst {
					axis = 0
				}
				if w := c.shared(v, axis); w == v && v.at.of == nowhere && v.shape[axis] == 1 {
					c.alone(v, axis)
				} else {
					v = w
				}
				if batchFirst {
					v = c.permuted(v, 1, 0, 2)
				}
				return of(v)
			}
			cell := &cell[T]{c: c, gates: gates, width: width, r: c.permuted(of(r), 1, 0), h: start(5),
				late: c.n.integer("linear_before_reset", 0) == 1, relu: gates == 1 && len(named) > d && string(named[d]) == "Relu"}
			if gates == 4 {
				cell.cell = start(6)
			}
			if b := of(b); b != nil {
				cell.bx, cell.bh = c.taken(b, 0, span(0, gates*width, 1)), c.taken(b, 0, span(gates*width, 2*gates*width, 1))
			}
			all := c.multiplied(x, c.permuted(of(w), 1, 0)) // [T][N][gates·H]
			outs := make([]*value[T], steps)
			for i := range steps {
				t := i
				if back {
					t = steps - 1 - i
				}
				part := c.taken(all, 0, []int{t})
				cell.step(c.framed(part, part.at.on(0), n, gates*width))
				outs[t] = c.stacked(cell.h, n, width)
			}
			h := c.stacked(cell.h, n, width)
			ys, hs = append(ys, c.joined(0, outs...)), append(hs, h)
			if gates == 4 {
				cs = append(cs, c.stacked(cell.cell, n, width))
			}
		}
		for i, y := range ys { // [T][1][N][H]
			ys[i] = c.framed(y, y.at.on(2), steps, 1, n, width)
		}
		order, few := []int{0, 1, 2, 3}, []int{0, 1, 2}
		if batchFirst {
			order, few = []int{2, 0, 1, 3}, []int{1, 0, 2}
		}
		outs := []*value[T]{c.permuted(c.joined(1, ys...), order...), c.permuted(c.joined(0, hs...), few...)}
		if gates == 4 {
			outs = append(outs, c.permuted(c.joined(0, cs...), few...))
		}
		c.out(outs...)
	}
}

// stacked is a state [N][H] as [1][N][H].
func (c *context[T]) stacked(h *value[T], n, width int) *value[T] {
	return c.framed(h, h.at.on(1), 1, n, width)
}

// cell is the state of one direction.
type cell[T nn.Float] struct {
	c            *context[T]
	gates, width int
	r, bx, bh    *value[T]
	h, cell      *value[T]
	late, relu   bool
}

// step takes a step with x [N][gates·H], the product of the input with its weights.
func (s *cell[T]) step(x *value[T]) {
	c := s.c
	gate := func(v *value[T], i int) *value[T] {
		return c.taken(v, len(v.shape)-1, span(i*s.width, (i+1)*s.width, 1))
	}
	add := func(x, y *value[T]) *value[T] {
		if y == nil {
			return x
		}
		return c.combined(sum, x, y)
	}
	mul := func(x, y *value[T]) *value[T] { return c.combined(multiple, x, y) }
	x = add(x, s.bx)
	if s.gates == 3 { // z, r, h
		h := c.multiplied(s.h, s.r)
		if s.bh != nil {
			h = add(h, s.bh)
		}
		z := c.mapped(add(gate(x, 0), gate(h, 0)), sigmoid)
		r := c.mapped(add(gate(x, 1), gate(h, 1)), sigmoid)
		var inner *value[T]
		if s.late {
			inner = mul(r, gate(h, 2))
		} else {
			inner = c.multiplied(mul(r, s.h), gate(s.r, 2))
			if s.bh != nil {
				inner = add(inner, gate(s.bh, 2))
			}
		}
		n := c.mapped(add(gate(x, 2), inner), hyperbolic)
		s.h = add(n, mul(z, c.combined(minus, s.h, n)))
		return
	}
	x = add(add(x, c.multiplied(s.h, s.r)), s.bh)
	if s.gates == 1 {
		f := hyperbolic
		if s.relu {
			f = rectifier
		}
		s.h = c.mapped(x, f)
		return
	}
	i, o := c.mapped(gate(x, 0), sigmoid), c.mapped(gate(x, 1), sigmoid)
	f, n := c.mapped(gate(x, 2), sigmoid), c.mapped(gate(x, 3), hyperbolic)
	s.cell = add(mul(f, s.cell), mul(i, n))
	s.h = mul(o, c.mapped(s.cell, hyperbolic))
}
