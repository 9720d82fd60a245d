package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
)

// lineSearch maximises the dual over one λ_g exactly. The partial derivative
//
//	F(δ) = Σ_j a_j y_j(−u_j − a_j δ) − z_g(λ_g + δ)
//
// is decreasing and piecewise linear. The group's own curve enters it like a
// target with coefficient −1. The search starts at δ = 0 and moves in the
// direction of the sign of F, from breakpoint to breakpoint of any of the
// curves, until F vanishes.
type lineSearch struct {
	entries []curvePoint
}

// curvePoint is one curve on the way: it is at v in the given state and v
// changes by speed per unit of |δ|.
type curvePoint struct {
	c     *curves
	v     float64
	speed float64
	f     int32
	state int32
}

// maximise returns the λ_g at which F, which is f ≠ 0 at the present one,
// vanishes; ±Inf when it never does, which proves the hard rows infeasible.
func (w *lineSearch) maximise(x *Ascent, k int, f float64) float64 {
	if delta, ok := w.short(x, k, f); ok {
		return x.lambda[k] + delta
	}
	g := x.groups
	sign := math.Copysign(1, f)
	w.entries = w.entries[:0]
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		i := g.Col[j]
		w.entries = append(w.entries, curvePoint{&x.targets, -x.u[i], -g.Val[j] * sign, i, x.state[i]})
	}
	// Start at the end of the group's places that F was measured from.
	x.rowState[k] = x.rows.edge(k, x.lambda[k], x.rowState[k], f > 0)
	w.entries = append(w.entries, curvePoint{&x.rows, x.lambda[k], sign, int32(k), x.rowState[k]})
	if rest := w.run(math.Abs(f), 1e-13*math.Abs(f)); rest > problem.NeverActive {
		return math.Inf(int(sign))
	}
	return w.entries[len(w.entries)-1].v
}

// run moves all entries along until Σ speed·x, which is −left at first, has
// grown to 0. It returns what is left of left: more than 0 when no curve can move any
// more. A rest below enough counts as 0.
func (w *lineSearch) run(left, enough float64) (rest float64) {
	for left > enough {
		fall, room, jumped := 0.0, math.Inf(1), false
		for n := range w.entries {
			e := &w.entries[n]
			rate, end, jump := e.piece()
			if jump > 0 {
				if jump*math.Abs(e.speed) >= left {
					return 0
				}
				left -= jump * math.Abs(e.speed)
				jumped = true
			}
			fall += rate * e.speed * e.speed
			room = min(room, end/math.Abs(e.speed))
		}
		switch {
		case jumped:
			continue // the pieces after a jump are different ones
		case fall*room >= left:
			room = left / fall
			for n := range w.entries {
				w.entries[n].v += room * w.entries[n].speed
			}
			return 0
		case math.IsInf(room, 1):
			return left
		}
		left -= fall * room
		for n := range w.entries {
			e := &w.entries[n]
			_, end, _ := e.piece()
			if end/math.Abs(e.speed) <= room {
				e.arrive()
			} else {
				e.v += room * e.speed
			}
		}
	}
	if left <= enough {
		return 0
	}
	return left
}

// short tries to reach F = 0 without leaving any current piece: the usual case
// once the active set has settled.
func (w *lineSearch) short(x *Ascent, k int, f float64) (float64, bool) {
	g := x.groups
	if x.low[k] != x.high[k] {
		return 0, false
	}
	_, fall, _ := x.rows.seek(k, x.lambda[k], x.rowState[k])
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		i := int(g.Col[j])
		fall += x.rate[i] * g.Val[j] * g.Val[j]
	}
	if fall == 0 {
		return 0, false
	}
	delta := f / fall
	if _, _, st := x.rows.seek(k, x.lambda[k]+delta, x.rowState[k]); st != x.rowState[k] {
		return 0, false
	}
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		i := int(g.Col[j])
		if _, _, st := x.targets.seek(i, -x.u[i]-g.Val[j]*delta, x.state[i]); st != x.state[i] {
			return 0, false
		}
	}
	return delta, true
}

// piece returns the rate and the length of the current piece in the direction
// of e.speed. It first steps over the end of the last piece when v is there;
// where the derivative is flat it passes the flat piece and returns its length
// in x as jump.
func (e *curvePoint) piece() (rate, room, jump float64) {
	for up := e.speed > 0; ; {
		low, high, b, slope := e.c.piece(int(e.f), e.state)
		end := low
		if up {
			end = high
		}
		open := e.state&1 != 0
		switch {
		case e.v == end || open && (e.v > end) == up: // over
			if open && slope == 0 {
				jump += e.c.place(int(e.f), b+1) - e.c.place(int(e.f), b)
			}
			if e.state--; up {
				e.state += 2
			}
		case !open:
			return 0, math.Abs(end - e.v), jump
		case slope == 0:
			return 0, math.Inf(1), math.Inf(1)
		default:
			return 1 / slope, math.Abs(end - e.v), jump
		}
	}
}

// arrive moves v exactly to the end of the current piece.
func (e *curvePoint) arrive() {
	low, high, _, _ := e.c.piece(int(e.f), e.state)
	if e.v = low; e.speed > 0 {
		e.v = high
	}
}
