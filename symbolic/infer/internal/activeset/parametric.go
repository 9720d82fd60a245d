package activeset

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// parametric follows the optimum from one problem to another. With W the rows and
// bounds that are active, the multipliers λ of W determine the targets,
//
//	y = −H⁻¹(Lin + A_Wᵀλ),  H = 2·diag(Quad),
//
// and themselves follow from S λ = A_W(−H⁻¹Lin) + b_W + D·off with S = A_W H⁻¹A_Wᵀ + D: the
// equations a·y + b = D(λ − off) of W, where D is 0 for tight rows and 1/(2·Curv) for rows
// with a slack. So the whole work is in a matrix of the order of W, which is small if few rows
// are active, as in MNIST-Addition, however many targets there are.
//
// Any λ that respects its limits is the optimum of the problem with the residuals
// of W added to b, and b lowered where an idle row is violated. These shifts are
// taken back along a line. On the way y and λ are piecewise linear; at a breakpoint
// one row or bound enters or leaves W, and the factor of S with it. Between two
// breakpoints the way leads straight to the point at which W would be optimal
// without shifts, so that errors do not accumulate. This is the parametric active
// set method; it needs no guess of the active set, and has about as many breakpoints as the
// active set changes between the two problems.
type parametric struct {
	set []holder
	// Candidates for W at the start; the first ones are equalities.
	found, others []holder
	equal         int
	factor        sparse.Updated
	idle          []bool    // by row, then two a target: neither in W nor left out
	shift         []float64 // of b at the start, in the same order
	left          float64   // part of the shifts that is still to be taken back

	y, full, spread []float64 // by target: now, where W would lead, scratch
	// By left-hand side: at y, at full, and how far it may go.
	now, side, low, high []float64
	inverse              []float64 // H⁻¹
	step, column         []float64 // by holder
}

// straight goes from the point taken by fits to the optimum of p if there is no
// breakpoint on the way.
func (h *parametric) straight(p *problem.Problem) bool {
	leaving, _ := h.ahead(p)
	if !h.holds(p) || leaving >= 0 {
		return false
	}
	h.finish(p)
	return true
}

// follow goes on from there after straight has failed. It returns false, with p as
// it was, when W grows too large or the way gets longer than a solve from zero.
func (h *parametric) follow(p *problem.Problem) bool {
	h.turn(p)
	h.relax(p)
	leaving, part := h.ahead(p)
	for range mostBreakpoints(p) {
		var entering holder
		if entering, part = h.meeting(p, part); part == 1 {
			h.finish(p)
			return true
		}
		p.Stats.Breakpoints++
		h.move(part)
		if entering.id < 0 {
			if !h.leave(p, leaving) {
				return false
			}
		} else if !h.enter(p, entering, 1) {
			return false
		}
		leaving, part = h.ahead(p)
	}
	return false
}

// mostBreakpoints is the number of breakpoints that cost about as much as a solve
// from zero. Each takes a pass over all rows.
func mostBreakpoints(p *problem.Problem) int { return 50 + min(p.Targets/2, 110) }

// move goes part of the way to where W leads.
func (h *parametric) move(part float64) {
	for i, v := range h.full {
		h.y[i] += part * (v - h.y[i])
	}
	for f, z := range h.side {
		h.now[f] += part * (z - h.now[f])
	}
	for n, v := range h.step {
		h.set[n].lambda += part * v
	}
	h.left *= 1 - part
}

// turn makes the changes that the whole way would call for, all at once: W is the
// better guess then and the way shorter. (It is a step of the primal–dual active set
// method, which by itself may not end.)
func (h *parametric) turn(p *problem.Problem) {
	for n := len(h.set) - 1; n >= 0; n-- {
		if w := &h.set[n]; w.low == 0 && w.lambda+h.step[n] < -offBounds {
			h.idle[w.id] = true
			h.remove(n)
		}
	}
	for f, z := range h.side {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if p.Coef[k]*z+p.B[k] > offBounds && h.idle[k] && len(h.set) < largestSet*3/4 {
				h.add(p, h.row(p, int32(f), k))
			}
		}
	}
	h.point(p, h.y)
}

// relax shifts b so that idle rows and bounds hold with some distance, and finds how
// far left-hand sides may go.
func (h *parametric) relax(p *problem.Problem) {
	p.Forms.Sides(h.y, h.now)
	for f := range len(p.SidePtr) - 1 {
		low, high := math.Inf(-1), math.Inf(1)
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			coef, b := p.Coef[k], p.B[k]
			if coef > 0 {
				high = min(high, (offBounds-b)/coef)
			} else {
				low = max(low, (offBounds-b)/coef)
			}
			h.shift[k] = relaxed(k, coef*h.now[f]+b)
		}
		h.low[f], h.high[f] = low, high
	}
	for i, y := range h.y {
		id := int32(p.Rows + 2*i)
		h.shift[id] = relaxed(id, p.Lower[i]-y)
		h.shift[id+1] = relaxed(id+1, y-p.Upper[i])
		h.low[i], h.high[i] = max(h.low[i], p.Lower[i]-offBounds), min(h.high[i], p.Upper[i]+offBounds)
	}
	h.left = 1
}

// relaxed returns the shift of b for a row of the given activity.
func relaxed(id int32, activity float64) float64 {
	if activity <= -2*leastShift {
		return 0
	}
	return -leastShift*(1+spaced(id)) - max(activity, 0)
}

// spaced spreads numbers evenly over [0, 1).
func spaced(k int32) float64 { return float64(uint32(k)*2654435769) / (1 << 32) }

// ahead finds where W leads, in step and full, and the number of the first holder
// whose multiplier comes to a limit on the way, with the part of the way to there.
func (h *parametric) ahead(p *problem.Problem) (leaving int, part float64) {
	step := h.step[:len(h.set)]
	for n := range step {
		w := &h.set[n]
		step[n] = w.coef*p.Side(int(w.side), h.y) + w.b - w.d*(w.lambda-w.off)
	}
	h.factor.Solve(step)
	h.step = step
	leaving, part = -1, 1
	copy(h.full, p.Lin)
	for n, v := range step {
		w := &h.set[n]
		end := w.lambda + v
		h.pull(p, w, end, h.full)
		limit := w.low
		if end > w.high+offBounds {
			limit = w.high
		} else if end >= limit-offBounds {
			continue
		}
		if a := (limit - w.lambda) / v; a < part {
			leaving, part = n, max(a, 0)
		}
	}
	for i, v := range h.inverse {
		h.full[i] *= -v
	}
	return leaving, part
}

// holds reports whether all rows and bounds hold where W leads.
func (h *parametric) holds(p *problem.Problem) bool {
	p.Forms.Sides(h.full, h.side)
	for f, z := range h.side {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if p.Coef[k]*z+p.B[k] > offBounds && h.idle[k] {
				return false
			}
		}
	}
	for i, y := range h.full {
		if y < p.Lower[i]-offBounds && h.idle[p.Rows+2*i] || y > p.Upper[i]+offBounds && h.idle[p.Rows+2*i+1] {
			return false
		}
	}
	return true
}

// meeting finds the first row or bound to enter W before the given part of the way.
func (h *parametric) meeting(p *problem.Problem, part float64) (holder, float64) {
	first := holder{id: -1}
	p.Forms.Sides(h.full, h.side)
	for f, z := range h.side {
		if z >= h.low[f] && z <= h.high[f] {
			continue
		}
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if end := p.Coef[k]*z + p.B[k]; end > offBounds && h.idle[k] {
				if a := h.meets(k, p.Coef[k]*h.now[f]+p.B[k], end); a < part {
					first, part = h.row(p, int32(f), k), a
				}
			}
		}
		if f >= p.Targets {
			continue
		}
		id := int32(p.Rows + 2*f)
		if end := p.Lower[f] - z; end > offBounds && h.idle[id] {
			if a := h.meets(id, p.Lower[f]-h.y[f], end); a < part {
				first, part = h.bound(p, f, false), a
			}
		}
		if end := z - p.Upper[f]; end > offBounds && h.idle[id+1] {
			if a := h.meets(id+1, h.y[f]-p.Upper[f], end); a < part {
				first, part = h.bound(p, f, true), a
			}
		}
	}
	return first, part
}

// meets returns the part of the way after which an idle row of the given
// activities, now without its shift and at the end, arrives at 0.
func (h *parametric) meets(id int32, now, end float64) float64 {
	now = min(now+h.left*h.shift[id], 0)
	return now / (now - end)
}

// finish goes to the end of the way and writes the point.
func (h *parametric) finish(p *problem.Problem) {
	for n, v := range h.step {
		h.set[n].lambda += v
	}
	h.point(p, h.y)
	// Once more, against the rounding of the factor.
	for n := range h.step {
		w := &h.set[n]
		h.step[n] = w.coef*p.Side(int(w.side), h.y) + w.b - w.d*(w.lambda-w.off)
	}
	h.factor.Solve(h.step)
	for n, v := range h.step {
		h.set[n].lambda += v
	}
	h.point(p, h.y)
	for i, y := range h.y {
		p.Y[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	clear(p.Dual)
	for n := range h.set {
		if w := &h.set[n]; int(w.id) < p.Rows {
			p.Dual[w.id] = max(w.lambda, min(w.low, 0))
		}
	}
}
