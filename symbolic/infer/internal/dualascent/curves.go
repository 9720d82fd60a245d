package dualascent

import (
	"cmp"
	"math"
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// curves holds many convex, piecewise quadratic functions of one variable by
// their derivatives, which are increasing, piecewise linear and may jump. The
// block method inverts them: for a dual value v it asks where the derivative
// takes the value v. Function f owns the breakpoints ptr[f] ≤ b < ptr[f+1].
//
// A position in a function is a state, the number of a piece of its derivative: −1 is
// left of the first breakpoint, 2j the jump at breakpoint ptr[f]+j, with its ends, and
// 2j+1 what lies between that breakpoint and the next.
type curves struct {
	ptr []int32
	x   []float64 // places of the breakpoints
	// Of each function, levels has the values at which its pieces begin and end: −Inf,
	// the derivative's limits left and right of each breakpoint, +Inf; slope the
	// derivative's slope left of the first breakpoint and right of each.
	levels, slope []float64
	// events are the rows behind the breakpoints, in order of place.
	eventPtr []int32
	events   []event
}

// event is where a row σ·x + b of one variable becomes active.
type event struct {
	at   float64
	row  int32
	coef float64
}

// reset empties c.
func (c *curves) reset() {
	c.ptr = append(c.ptr[:0], 0)
	c.eventPtr = append(c.eventPtr[:0], 0)
	c.x, c.levels, c.slope, c.events = c.x[:0], c.levels[:0], c.slope[:0], c.events[:0]
}

// add builds the function quad·x² + lin·x on [lower, upper] plus the costs of
// the rows from ≤ k < to of p. Hard rows shrink the domain. It returns
// false when the domain is empty; it then is the single point between.
func (c *curves) add(p *problem.Problem, from, to int, quad, lin, lower, upper float64) bool {
	for k := from; k < to; k++ {
		c.events = append(c.events, event{at: -p.B[k] / p.Coef[k], row: int32(k), coef: p.Coef[k]})
	}
	ev := c.events[c.eventPtr[len(c.eventPtr)-1]:]
	if len(ev) > 1 {
		slices.SortStableFunc(ev, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	}
	ok := true
	for _, e := range ev {
		switch {
		case p.Kind[e.row] > lcqp.HardEQ:
			continue
		case p.Kind[e.row] == lcqp.HardEQ:
			lower, upper = max(lower, e.at), min(upper, e.at)
		case e.coef > 0:
			upper = min(upper, e.at)
		default:
			lower = max(lower, e.at)
		}
	}
	if lower > upper {
		ok = lower <= upper+problem.NeverActive
		lower = (lower + upper) / 2
		upper = lower
	}
	c.levels = append(c.levels, math.Inf(-1))
	if len(ev) == 0 && math.IsInf(lower, -1) && math.IsInf(upper, 1) {
		c.slope = append(c.slope, 2*quad) // a form without rows: quad = lin = 0
		c.push(0, lin, lin, 2*quad)
	} else {
		c.sweep(p, ev, quad, lin, lower, upper)
	}
	c.levels = append(c.levels, math.Inf(1))
	c.ptr = append(c.ptr, int32(len(c.x)))
	c.eventPtr = append(c.eventPtr, int32(len(c.events)))
	return ok
}

// sweep lays out the breakpoints from left to right.
func (c *curves) sweep(p *problem.Problem, ev []event, quad, lin, lower, upper float64) {
	start := lower
	if math.IsInf(start, -1) {
		start = upper
		if len(ev) > 0 {
			start = min(start, ev[0].at)
		}
	}
	// value and slope of the derivative just left of start, as if the domain
	// went on there. Rows with σ < 0 are active left of their place.
	value, slope := 2*quad*start+lin, 2*quad
	active := 0
	for _, e := range ev {
		if p.Kind[e.row] <= lcqp.HardEQ {
			continue
		}
		if e.coef < 0 && e.at >= start || e.coef > 0 && e.at < start {
			bend := 2 * p.Curv[e.row] * e.coef * e.coef
			value += e.coef*p.Weight[e.row] + bend*(start-e.at)
			slope += bend
			active++
		}
	}
	c.slope = append(c.slope, slope)
	// The last breakpoint so far, which the next events may belong to.
	at, left, right := start, value, value
	if !math.IsInf(lower, -1) {
		left = math.Inf(-1)
	}
	for _, e := range ev {
		if p.Kind[e.row] <= lcqp.HardEQ || e.at < start || e.at >= upper {
			continue
		}
		if e.at > at {
			c.push(at, left, right, slope)
			left = right + slope*(e.at-at)
			at, right = e.at, left
		}
		bend := 2 * p.Curv[e.row] * e.coef * e.coef
		right += math.Abs(e.coef) * p.Weight[e.row]
		if e.coef > 0 {
			slope += bend
			active++
		} else {
			slope -= bend
			active--
		}
		if active == 0 { // exact, so that 0 is recognised as the flat level
			slope = 2 * quad
			right = 2*quad*e.at + lin
		}
	}
	if !math.IsInf(upper, 1) {
		if at < upper {
			c.push(at, left, right, slope)
			at, left = upper, right+slope*(upper-at)
		}
		right = math.Inf(1)
	}
	c.push(at, left, right, slope)
}

func (c *curves) push(x, left, right, slope float64) {
	c.x = append(c.x, x)
	c.levels = append(c.levels, left, right)
	c.slope = append(c.slope, slope)
}

// piece returns where piece st of function f begins and ends, the breakpoint at which it
// begins or jumps (one before the first for −1), and its slope if it is no jump.
func (c *curves) piece(f int, st int32) (low, high float64, b int, slope float64) {
	first := int(c.ptr[f])
	at := 2*(first+f) + 1 + int(st)
	b = first + int(st>>1)
	return c.levels[at], c.levels[at+1], b, c.slope[b+1+f]
}

// seek moves from state st of function f to the one that holds v and returns
// the place there, the rate dx/dv (0 in a jump) and the state. Outside the
// range of the derivative the place is −Inf or +Inf.
func (c *curves) seek(f int, v float64, st int32) (x, rate float64, state int32) {
	first := int(c.ptr[f])
	for at := 2 * (first + f); ; {
		low, high := c.levels[at+int(st)+1], c.levels[at+int(st)+2]
		b := first + int(st>>1)
		if st&1 == 0 {
			if v < low {
				st--
			} else if v > high {
				st++
			} else {
				return c.x[b], 0, st
			}
			continue
		}
		if v <= low && st > 0 {
			st--
		} else if v >= high && !math.IsInf(v, 1) {
			st++
		} else if slope := c.slope[b+1+f]; slope == 0 {
			return math.Inf(int(st)), 0, st
		} else if st < 0 {
			return c.x[first] + (v-high)/slope, 1 / slope, st
		} else {
			return c.x[b] + (v-low)/slope, 1 / slope, st
		}
	}
}

// place returns the position of breakpoint b of function f, ±Inf where it has none.
func (c *curves) place(f, b int) float64 {
	switch {
	case b < int(c.ptr[f]):
		return math.Inf(-1)
	case b >= int(c.ptr[f+1]):
		return math.Inf(1)
	}
	return c.x[b]
}

// ends returns the ends of the places that belong to v in a state reached by
// seek: two different ones only where the derivative is flat at v.
func (c *curves) ends(f int, v float64, st int32) (low, high float64) {
	if st&1 != 0 {
		x, _, _ := c.seek(f, v, st)
		return x, x
	}
	left, right, b, slope := c.piece(f, st)
	low, high = c.x[b], c.x[b]
	if v == right && slope == 0 {
		high = c.place(f, b+1)
	}
	if v == left && c.slope[b+f] == 0 {
		low = c.place(f, b-1)
	}
	return low, high
}

// edge moves a state at v over a flat piece to its upper or lower end.
func (c *curves) edge(f int, v float64, st int32, upper bool) int32 {
	if st&1 != 0 {
		return st
	}
	at := c.x[c.ptr[f]+st>>1]
	switch low, high := c.ends(f, v, st); {
	case upper && high > at && !math.IsInf(high, 1):
		return st + 2
	case !upper && low < at && !math.IsInf(low, -1):
		return st - 2
	}
	return st
}

// softRate returns the rate at v. Where v lies in a jump but within tol of its end, it
// returns the rate of the neighbouring piece, the larger one where there are two.
func (c *curves) softRate(f int, v float64, st int32, tol float64) float64 {
	if st&1 != 0 {
		_, rate, _ := c.seek(f, v, st)
		return rate
	}
	low, high, b, slope := c.piece(f, st)
	rate := 0.0
	if high-v <= tol && slope > 0 {
		rate = 1 / slope
	}
	if before := c.slope[b+f]; v-low <= tol && before > 0 {
		rate = max(rate, 1/before)
	}
	return rate
}

// limits returns the range of the derivative of f.
func (c *curves) limits(f int) (low, high float64) {
	first, end := int(c.ptr[f])+f, int(c.ptr[f+1])+f
	low, high = math.Inf(-1), math.Inf(1)
	if c.slope[first] == 0 {
		low = c.levels[2*first+1]
	}
	if c.slope[end] == 0 {
		high = c.levels[2*end]
	}
	return low, high
}
