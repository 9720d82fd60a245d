package dualascent

import (
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
// A position in a function is a state: −1 is left of the first breakpoint, 2j
// at breakpoint ptr[f]+j, where v lies in the jump [left, right], and 2j+1
// between that breakpoint and the next.
type curves struct {
	ptr []int32
	// x is the place of a breakpoint, left and right the derivative's limits
	// there (−Inf or +Inf where the domain ends), slope the derivative's slope
	// to its right. tail is the slope left of the first breakpoint.
	x, left, right, slope []float64
	tail                  []float64
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
	c.x, c.left, c.right, c.slope = c.x[:0], c.left[:0], c.right[:0], c.slope[:0]
	c.tail, c.events = c.tail[:0], c.events[:0]
}

// addAll notes that the rows from ≤ k < to of p belong to the function being
// built.
func (c *curves) addAll(p *problem.Problem, from, to int) {
	for k := from; k < to; k++ {
		c.events = append(c.events, event{at: -p.B[k] / p.Coef[k], row: int32(k), coef: p.Coef[k]})
	}
}

// end builds the function quad·x² + lin·x on [lower, upper] plus the costs of
// the rows added since the last end. Hard rows shrink the domain. It returns
// false when the domain is empty; it then is the single point between.
func (c *curves) end(p *problem.Problem, quad, lin, lower, upper float64) bool {
	ev := c.events[c.eventPtr[len(c.eventPtr)-1]:]
	sortEvents(ev)
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
	if len(ev) == 0 && math.IsInf(lower, -1) && math.IsInf(upper, 1) {
		c.tail = append(c.tail, 2*quad) // a form without rows: quad = lin = 0
		c.push(0, lin, lin, 2*quad)
	} else {
		c.sweep(p, ev, quad, lin, lower, upper)
	}
	c.ptr = append(c.ptr, int32(len(c.x)))
	c.eventPtr = append(c.eventPtr, int32(len(c.events)))
	return ok
}

func sortEvents(ev []event) {
	if len(ev) > 48 {
		slices.SortStableFunc(ev, func(a, b event) int {
			switch {
			case a.at < b.at:
				return -1
			case a.at > b.at:
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(ev); i++ {
		e, j := ev[i], i
		for ; j > 0 && ev[j-1].at > e.at; j-- {
			ev[j] = ev[j-1]
		}
		ev[j] = e
	}
}

// sweep lays out the breakpoints from left to right.
func (c *curves) sweep(p *problem.Problem, ev []event, quad, lin, lower, upper float64) {
	start := lower
	if math.IsInf(start, -1) {
		start = upper
		for _, e := range ev {
			if e.at < start {
				start = e.at
				break
			}
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
	c.tail = append(c.tail, slope)
	first := len(c.x)
	if !math.IsInf(lower, -1) {
		c.push(start, math.Inf(-1), value, slope)
	}
	for _, e := range ev {
		if p.Kind[e.row] <= lcqp.HardEQ || e.at < start || e.at >= upper {
			continue
		}
		if len(c.x) == first {
			c.push(e.at, value, value, slope)
		}
		b := len(c.x) - 1
		if e.at > c.x[b] {
			value = c.right[b] + c.slope[b]*(e.at-c.x[b])
			c.push(e.at, value, value, c.slope[b])
			b++
		}
		bend := 2 * p.Curv[e.row] * e.coef * e.coef
		c.right[b] += math.Abs(e.coef) * p.Weight[e.row]
		if e.coef > 0 {
			c.slope[b] += bend
			active++
		} else {
			c.slope[b] -= bend
			active--
		}
		if active == 0 { // exact, so that 0 is recognised as the flat level
			c.slope[b] = 2 * quad
			c.right[b] = 2*quad*e.at + lin
		}
	}
	if !math.IsInf(upper, 1) {
		b := len(c.x) - 1
		switch {
		case b < first:
			c.push(upper, value, math.Inf(1), slope)
		case c.x[b] < upper:
			c.push(upper, c.right[b]+c.slope[b]*(upper-c.x[b]), math.Inf(1), c.slope[b])
		default:
			c.right[b] = math.Inf(1)
		}
	}
}

func (c *curves) push(x, left, right, slope float64) {
	c.x = append(c.x, x)
	c.left = append(c.left, left)
	c.right = append(c.right, right)
	c.slope = append(c.slope, slope)
}

// seek moves from state st of function f to the one that holds v and returns
// the place there, the rate dx/dv (0 in a jump) and the state. Outside the
// range of the derivative the place is −Inf or +Inf.
func (c *curves) seek(f int, v float64, st int32) (x, rate float64, state int32) {
	b0, n := c.ptr[f], c.ptr[f+1]-c.ptr[f]
	for {
		b := b0 + st>>1 // of −1 it is the breakpoint before the first: unused
		if st&1 == 0 {
			if v < c.left[b] {
				st--
			} else if v > c.right[b] {
				st++
			} else {
				return c.x[b], 0, st
			}
			continue
		}
		if st < 0 {
			if v >= c.left[b0] {
				st++
				continue
			}
			if c.tail[f] == 0 {
				return math.Inf(-1), 0, st
			}
			return c.x[b0] + (v-c.left[b0])/c.tail[f], 1 / c.tail[f], st
		}
		switch {
		case v <= c.right[b]:
			st--
		case st>>1+1 < n && v >= c.left[b+1]:
			st++
		case c.slope[b] == 0:
			return math.Inf(1), 0, st
		default:
			return c.x[b] + (v-c.right[b])/c.slope[b], 1 / c.slope[b], st
		}
	}
}

// ends returns the ends of the places that belong to v in a state reached by
// seek: two different ones only where the derivative is flat at v.
func (c *curves) ends(f int, v float64, st int32) (low, high float64) {
	if st&1 != 0 {
		x, _, _ := c.seek(f, v, st)
		return x, x
	}
	b := c.ptr[f] + st>>1
	low, high = c.x[b], c.x[b]
	if v == c.right[b] && c.slope[b] == 0 {
		high = math.Inf(1)
		if b+1 < c.ptr[f+1] {
			high = c.x[b+1]
		}
	}
	if v == c.left[b] {
		if b == c.ptr[f] {
			if c.tail[f] == 0 {
				low = math.Inf(-1)
			}
		} else if c.slope[b-1] == 0 {
			low = c.x[b-1]
		}
	}
	return low, high
}

// edge moves a state at v over a flat piece to its upper or lower end.
func (c *curves) edge(f int, v float64, st int32, upper bool) int32 {
	if st&1 != 0 {
		return st
	}
	b := c.ptr[f] + st>>1
	if upper && v == c.right[b] && c.slope[b] == 0 && b+1 < c.ptr[f+1] {
		return st + 2
	}
	if !upper && v == c.left[b] && b > c.ptr[f] && c.slope[b-1] == 0 {
		return st - 2
	}
	return st
}

// softRate returns the rate at v, or that of a neighbouring piece when v lies in
// a jump but within tol of its end: the larger, where there are two.
func (c *curves) softRate(f int, v float64, st int32, tol float64) float64 {
	if st&1 != 0 {
		_, rate, _ := c.seek(f, v, st)
		return rate
	}
	b, rate := c.ptr[f]+st>>1, 0.0
	if c.right[b]-v <= tol && c.slope[b] > 0 {
		rate = 1 / c.slope[b]
	}
	if v-c.left[b] <= tol {
		slope := c.tail[f]
		if b > c.ptr[f] {
			slope = c.slope[b-1]
		}
		if slope > 0 {
			rate = max(rate, 1/slope)
		}
	}
	return rate
}

// limits returns the range of the derivative of f.
func (c *curves) limits(f int) (low, high float64) {
	b0, b1 := c.ptr[f], c.ptr[f+1]-1
	low, high = math.Inf(-1), math.Inf(1)
	if c.tail[f] == 0 {
		low = c.left[b0]
	}
	if c.slope[b1] == 0 && !math.IsInf(c.right[b1], 1) {
		high = c.right[b1]
	}
	return low, high
}
