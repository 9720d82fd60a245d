package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
)

// search moves x along d to the highest point of the dual.
func (w *newton) search(x *Ascent, p *problem.Problem) bool {
	e, gain := w.ray(x, p), w.gain()
	if len(e) > breakpointLimit {
		w.bracket(e, gain)
	} else if rest := x.search.run(gain, w.longest, 1e-8*gain); rest > 0 && w.largest > problem.NeverActive && x.search.stuck() {
		x.unbounded = true
		for n := range e {
			e[n].v += farOut / w.largest * e[n].speed
		}
	}
	return w.move(x, e)
}

// ray returns the curves that move along d, groups first.
func (w *newton) ray(x *Ascent, p *problem.Problem) []curvePoint {
	g := x.groups
	w.du = problem.Resize(w.du, p.Targets)
	clear(w.du)
	e := x.search.entries[:0]
	for r, k := range w.active {
		d := w.model.d[r]
		if d == 0 {
			continue
		}
		st := x.rows.edge(int(k), x.lambda[k], x.rowState[k], w.f[r] > 0)
		e = append(e, curvePoint{&x.rows, x.lambda[k], d, k, st})
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			w.du[g.Col[j]] += g.Val[j] * d
		}
	}
	w.groups = len(e)
	for i, du := range w.du {
		if du != 0 {
			e = append(e, curvePoint{&x.targets, -x.u[i], -du, int32(i), x.state[i]})
		}
	}
	x.search.entries = e
	return e
}

// move takes over the values at which the curves of a ray have arrived.
func (w *newton) move(x *Ascent, e []curvePoint) bool {
	moved := false
	for _, entry := range e[:w.groups] {
		k := entry.f
		if entry.v == x.lambda[k] {
			continue
		}
		moved = true
		low, high := x.rows.limits(int(k))
		x.lambda[k] = min(max(entry.v, low), high)
		x.placeRow(int(k))
		x.dirty[k] = true
	}
	for _, entry := range e[w.groups:] {
		x.placeTarget(entry.f, -entry.v)
	}
	return moved
}

// bracket moves all entries to a parameter at which the slope of the dual along
// the ray, which is gain at 0, is at least 0 and at most a thousandth of gain,
// or where the domain ends. As the dual is concave it has risen there.
func (w *newton) bracket(e []curvePoint, gain float64) {
	limit := w.longest
	for n := range e {
		low, high := e[n].c.limits(int(e[n].f))
		switch {
		case e[n].speed > 0 && !math.IsInf(high, 1):
			limit = min(limit, (high-e[n].v)/e[n].speed)
		case e[n].speed < 0 && !math.IsInf(low, -1):
			limit = min(limit, (low-e[n].v)/e[n].speed)
		}
	}
	low, slopeLow := 0.0, gain
	high, slopeHigh := math.Inf(1), 0.0
	t, rising := min(1, limit), false
	for n := range 60 {
		slope := slopeAt(e, t)
		// An end that stays where it is counts half each time: else a steep one
		// would hold the search at the other (Illinois).
		again := n > 0 && rising == (slope >= 0)
		rising = slope >= 0
		if rising {
			low, slopeLow = t, slope
			if slope <= 1e-3*gain || t >= limit || t >= farOut {
				break
			}
			if again {
				slopeHigh /= 2
			}
		} else {
			high, slopeHigh = t, slope
			if again {
				slopeLow /= 2
			}
		}
		if math.IsInf(high, 1) {
			t = min(4*t, limit)
			continue
		}
		if high-low <= 1e-12*high {
			break
		}
		// Regula falsi, kept off the ends so that both of them can move.
		share := slopeLow / (slopeLow - slopeHigh)
		t = low + (high-low)*min(max(share, 0.05), 0.95)
	}
	for n := range e {
		e[n].v += low * e[n].speed
	}
}

// slopeAt returns a slope of the dual at parameter t that is no larger than the
// true one.
func slopeAt(e []curvePoint, t float64) float64 {
	slope := 0.0
	for n := range e {
		v := e[n].v + t*e[n].speed
		x, _, st := e[n].c.seek(int(e[n].f), v, e[n].state)
		if x0 := math.Abs(x); x0 > math.MaxFloat64 {
			// Rounding beyond the end of the domain: take the end.
			low, high := e[n].c.limits(int(e[n].f))
			v = min(max(v, low), high)
			x, _, st = e[n].c.seek(int(e[n].f), v, e[n].state)
		}
		if lo, hi := e[n].c.ends(int(e[n].f), v, st); lo < hi {
			// At a flat level the end passed last is a supergradient.
			x = lo
			if e[n].speed < 0 {
				x = hi
			}
		}
		slope -= e[n].speed * x
	}
	return slope
}
