package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
)

// ray is a direction d of λ with the curves that move along it, groups first.
type ray struct {
	entries []curvePoint
	groups  int       // number of groups that move
	du      []float64 // Aᵀd
}

// aim takes the direction d of the given groups from the present point of x.
func (r *ray) aim(x *Ascent, groups []int32, d []float64) {
	g := x.groups
	r.du = problem.Resize(r.du, len(x.u))
	clear(r.du)
	e := r.entries[:0]
	for n, k := range groups {
		d := d[n]
		if d == 0 {
			continue
		}
		st := x.rows.edge(int(k), x.lambda[k], x.rowState[k], d > 0)
		e = append(e, curvePoint{&x.rows, x.lambda[k], d, k, st})
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			r.du[g.Col[j]] += g.Val[j] * d
		}
	}
	r.groups = len(e)
	for i, du := range r.du {
		if du != 0 {
			e = append(e, curvePoint{&x.targets, -x.u[i], -du, int32(i), x.state[i]})
		}
	}
	r.entries = e
}

// ascend moves x to (nearly) the highest point of the dual along the ray, whose slope is
// gain at first. It returns false where it stays.
func (r *ray) ascend(x *Ascent, gain, longest float64) (moved bool) {
	r.bracket(gain, longest)
	e := r.entries
	for _, entry := range e[:r.groups] {
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
	for _, entry := range e[r.groups:] {
		x.placeTarget(entry.f, -entry.v)
	}
	return moved
}

// bracket moves all entries to a parameter at which the slope of the dual along
// the ray, which is gain at 0, is at least 0 and at most a thousandth of gain,
// or where the domain ends. As the dual is concave it has risen there.
func (r *ray) bracket(gain, longest float64) {
	e, limit := r.entries, longest
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
