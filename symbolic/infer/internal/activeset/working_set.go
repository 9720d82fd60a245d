package activeset

import (
	"math"
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// holder is a member of W: a row, or the bound of a target as the row ±y ± bound.
type holder struct {
	id, side          int32 // as counted by idle, and left-hand side
	state             State
	coef, b, d, off   float64
	lambda, low, high float64
	moved             float64 // by its multiplier at the start
}

// fits takes W and its multipliers from the point of p. It returns false when too
// many rows and bounds are active there, and where no inequality or linear potential
// can be tight: then Newton's method (type primalDual) makes all changes at once.
func (h *parametric) fits(p *problem.Problem) bool {
	if p.Rows > mostRows || !Kinked(p) {
		return false
	}
	n := p.Targets
	problem.ResizeAll(n, &h.y, &h.full, &h.spread, &h.inverse)
	h.idle, h.shift = problem.Resize(h.idle, p.Rows+2*n), problem.Resize(h.shift, p.Rows+2*n)
	for id := range h.idle {
		h.idle[id], h.shift[id] = true, 0
	}
	problem.ResizeAll(n+p.Forms.Len(), &h.now, &h.side, &h.low, &h.high)
	h.set, h.left = h.set[:0], 1
	h.factor.Reset(largestSet)
	h.step, h.column = problem.Resize(h.step, largestSet), problem.Resize(h.column, largestSet)
	clear(h.spread)
	for i, q := range p.Quad {
		h.inverse[i] = 1 / (2 * q)
	}
	copy(h.full, p.Lin)
	h.gather(p)
	if len(h.found) > largestSet*3/4 {
		h.sift()
	}
	if len(h.found) > largestSet {
		return false
	}
	for _, w := range h.found {
		h.add(p, w)
	}
	for i, y := range p.Y {
		gradient := 2*p.Quad[i]*y + h.full[i]
		w := h.bound(p, i, gradient < 0)
		if y <= p.Lower[i] && gradient > 0 || y >= p.Upper[i] && gradient < 0 {
			if len(h.set) == largestSet {
				return false
			}
			w.lambda = math.Abs(gradient)
			h.add(p, w)
		}
	}
	h.point(p, h.y)
	return true
}

// Kinked reports whether p has inequalities or linear potentials: without them the dual is
// smooth wherever its domain is not left.
func Kinked(p *problem.Problem) bool {
	return slices.Contains(p.Kind, lcqp.HardLE) || slices.Contains(p.Kind, lcqp.Linear)
}

// gather finds the rows that may be in W: first the equalities, so that they are in
// even if they depend on others, then the rows that would be violated without their
// multipliers.
func (h *parametric) gather(p *problem.Problem) {
	h.found, h.others = h.found[:0], h.others[:0]
	for f := range len(p.SidePtr) - 1 {
		z, known := 0.0, false
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			mu := p.Dual[k]
			if p.Kind[k] == lcqp.HardEQ {
				w := h.row(p, int32(f), k)
				w.lambda = mu
				h.found = append(h.found, w)
				continue
			}
			if !(mu > 0) {
				continue
			}
			if !known {
				z, known = p.Side(f, p.Y), true
			}
			w := h.row(p, int32(f), k)
			w.lambda, w.moved = mu, mu*w.coef*w.coef*h.square(p, f)
			if w.coef*z+w.b+w.moved <= 0 {
				continue
			}
			if mu >= w.high*(1-1e-9) {
				w.lambda = max(mu, w.high)
				w.slacken(p)
			}
			h.others = append(h.others, w)
		}
	}
	h.equal = len(h.found)
	h.found = append(h.found, h.others...)
}

// sift leaves out the rows whose multipliers move them least. Of inexact solutions,
// where all multipliers are positive, it takes away those that mean nothing.
func (h *parametric) sift() {
	for least := 1e-4; len(h.found)-h.equal > largestSet*3/4 && least < 1; least *= 4 {
		rest := h.found[:h.equal]
		for _, w := range h.found[h.equal:] {
			if w.moved > least || w.state == Active {
				rest = append(rest, w)
			}
		}
		h.found = rest
	}
}

// add puts a holder of the start into W unless it depends on the others.
func (h *parametric) add(p *problem.Problem, w holder) {
	c := h.column[:len(h.set)]
	square := h.couple(p, &w, c)
	left := h.factor.Reduce(c, square)
	h.idle[w.id] = false
	if !(left > dependent*square) {
		h.idle[w.id] = w.low > math.Inf(-1)
		return
	}
	h.factor.Keep(c, left)
	h.set = append(h.set, w)
	h.pull(p, &w, w.lambda, h.full)
}

// row returns row k of left-hand side f as a holder that is tight.
func (h *parametric) row(p *problem.Problem, f, k int32) holder {
	w := holder{id: k, side: f, state: Tight, coef: p.Coef[k], b: p.B[k], high: math.Inf(1)}
	switch kind := p.Kind[k]; {
	case kind == lcqp.HardEQ:
		w.low = math.Inf(-1)
	case kind == lcqp.Linear && p.Weight[k] > 0:
		w.high = p.Weight[k]
	case kind >= lcqp.Linear:
		w.state, w.d = Active, 1/(2*p.Curv[k])
	}
	return w
}

// bound returns a bound of target i as a holder.
func (h *parametric) bound(p *problem.Problem, i int, upper bool) holder {
	w := holder{id: int32(p.Rows + 2*i), side: int32(i), state: Tight, coef: -1, b: p.Lower[i], high: math.Inf(1)}
	if upper {
		w.id++
		w.coef, w.b = 1, -p.Upper[i]
	}
	return w
}

// slacken gives a tight linear potential a slack, tighten takes it back.
func (w *holder) slacken(p *problem.Problem) {
	w.state, w.d = Active, 1/(2*p.Curv[w.id])
	w.low, w.off, w.high = w.high, w.high, math.Inf(1)
}

func (w *holder) tighten() {
	w.state, w.d = Tight, 0
	w.low, w.off, w.high = 0, 0, w.low
}

// pull adds lambda times the row of w to out.
func (h *parametric) pull(p *problem.Problem, w *holder, lambda float64, out []float64) {
	if f := int(w.side); f < p.Targets {
		out[f] += w.coef * lambda
	} else {
		p.Forms.Spread(f-p.Targets, w.coef*lambda, out)
	}
}

// point writes the targets that belong to the multipliers of W to out.
func (h *parametric) point(p *problem.Problem, out []float64) {
	copy(out, p.Lin)
	for n := range h.set {
		h.pull(p, &h.set[n], h.set[n].lambda, out)
	}
	for i, v := range h.inverse {
		out[i] *= -v
	}
}

// square returns a H⁻¹aᵀ of a left-hand side.
func (h *parametric) square(p *problem.Problem, f int) float64 {
	if f < p.Targets {
		return h.inverse[f]
	}
	v, g := 0.0, p.Forms
	for j := g.Ptr[f-p.Targets]; j < g.Ptr[f-p.Targets+1]; j++ {
		v += g.Val[j] * g.Val[j] * h.inverse[g.Col[j]]
	}
	return v
}

// couple writes the column of S of w to c and returns its diagonal entry.
func (h *parametric) couple(p *problem.Problem, w *holder, c []float64) float64 {
	g, f := p.Forms, int(w.side)
	if f < p.Targets {
		h.spread[f] = w.coef * h.inverse[f]
	} else {
		for j := g.Ptr[f-p.Targets]; j < g.Ptr[f-p.Targets+1]; j++ {
			i := g.Col[j]
			h.spread[i] = w.coef * g.Val[j] * h.inverse[i]
		}
	}
	for n := range c {
		o := &h.set[n]
		c[n] = o.coef * p.Side(int(o.side), h.spread)
	}
	square := w.d + w.coef*p.Side(f, h.spread)
	if f < p.Targets {
		h.spread[f] = 0
	} else {
		for _, i := range g.Col[g.Ptr[f-p.Targets]:g.Ptr[f-p.Targets+1]] {
			h.spread[i] = 0
		}
	}
	return square
}

// leave takes holder n to its next state.
func (h *parametric) leave(p *problem.Problem, n int) bool {
	w := h.remove(n)
	switch {
	case w.lambda > (w.low+w.high)/2:
		w.lambda = w.high
		w.slacken(p)
		return h.enter(p, w, 1)
	case w.low > 0:
		w.lambda = w.low
		w.tighten()
		return h.enter(p, w, -1)
	}
	h.rest(p, &w)
	return true
}

// remove takes holder n out of W.
func (h *parametric) remove(n int) holder {
	w := h.set[n]
	h.factor.Delete(n)
	h.set = append(h.set[:n], h.set[n+1:]...)
	return w
}

// rest makes a holder idle, with the shift that its activity shows.
func (h *parametric) rest(p *problem.Problem, w *holder) {
	h.idle[w.id] = true
	h.shift[w.id] = 0
	if h.left > 1e-12 {
		h.shift[w.id] = -(w.coef*h.now[w.side] + w.b) / h.left
	}
}

// enter puts w into W, with a multiplier that is about to change in the given
// direction. If its row depends on others that are tight, the multipliers of those
// change in exchange, without moving the targets, until one of them reaches a limit
// and leaves. It returns false when none does: there is no feasible point.
func (h *parametric) enter(p *problem.Problem, w holder, direction float64) bool {
	h.idle[w.id] = false
	for range 4 {
		if len(h.set) == largestSet {
			return false
		}
		c := h.column[:len(h.set)]
		square := h.couple(p, &w, c)
		if left := h.factor.Reduce(c, square); left > dependent*square {
			h.factor.Keep(c, left)
			h.set = append(h.set, w)
			return true
		}
		h.factor.Expand(c)
		most, at := w.high-w.lambda, -1
		if direction < 0 {
			most = w.lambda - w.low
		}
		for n, v := range c {
			o := &h.set[n]
			if v *= direction; o.state != Tight || math.Abs(v) < 1e-9 {
				continue
			}
			room := o.lambda - o.low
			if v < 0 {
				room = o.lambda - o.high
			}
			if room /= v; room < most {
				most, at = max(room, 0), n
			}
		}
		if math.IsInf(most, 1) {
			return false
		}
		for n, v := range c {
			if o := &h.set[n]; o.state == Tight {
				o.lambda -= direction * most * v
			}
		}
		w.lambda += direction * most
		if at < 0 { // w itself has come to a limit
			if direction < 0 {
				h.rest(p, &w)
				return true
			}
			w.slacken(p)
			continue
		}
		o := h.remove(at)
		if o.lambda > (o.low+o.high)/2 {
			o.lambda = o.high
			o.slacken(p)
			if !h.enter(p, o, 1) {
				return false
			}
			continue
		}
		h.rest(p, &o)
	}
	return false
}
