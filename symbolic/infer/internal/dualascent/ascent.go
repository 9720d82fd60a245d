package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// Ascent is the state: groups of parallel rows, curves of targets and groups,
// and the dual point λ.
type Ascent struct {
	groups *problem.Forms
	// The groups of each target, see problem.Forms.ByTarget.
	targetPtr, groupOf []int32
	targets            curves // f_i, inverted at −u_i
	rows               curves // ψ_g, inverted at λ_g

	// By group: λ_g, the place in ψ_g and the ends of the places that belong
	// to λ_g, the state there, and whether a target has moved since the last
	// visit.
	lambda, z, low, high []float64
	rowState             []int32
	dirty                []bool
	// By target: u = Aᵀλ, the largest magnitude that went into it, y and its
	// rate −dy/du, and the state.
	u, uScale, y, rate []float64
	state              []int32

	// unbounded is set when the dual is found to grow without end: there is no
	// feasible point. conflict then are the multipliers of two hard rows that
	// leave one variable no place, if that is the reason.
	unbounded bool
	conflict  []problem.RowMultiplier

	search lineSearch
	newton newton
}

// Init builds the curves and starts from p.Dual.
func (x *Ascent) Init(p *problem.Problem) {
	g := p.Forms
	x.groups = g
	x.targetPtr, x.groupOf = g.ByTarget()
	x.targets.reset()
	x.unbounded, x.conflict = false, x.conflict[:0]
	for i := range p.Targets {
		from, to := p.RowsOf(i)
		if !x.targets.add(p, from, to, p.Quad[i], p.Lin[i], p.Lower[i], p.Upper[i]) {
			x.clash(p, x.targets.rowsOf(i), p.Lower[i], p.Upper[i])
		}
	}
	x.rows.reset()
	n := g.Len()
	for k := range n {
		from, to := p.MembersOf(k)
		if !x.rows.add(p, from, to, 0, 0, math.Inf(-1), math.Inf(1)) {
			x.clash(p, x.rows.rowsOf(k), math.Inf(-1), math.Inf(1))
		}
	}
	x.lambda, x.z, x.low, x.high = problem.Resize(x.lambda, n), problem.Resize(x.z, n), problem.Resize(x.low, n), problem.Resize(x.high, n)
	x.rowState, x.dirty = problem.Resize(x.rowState, n), problem.Resize(x.dirty, n)
	x.u, x.y, x.state = problem.Resize(x.u, p.Targets), problem.Resize(x.y, p.Targets), problem.Resize(x.state, p.Targets)
	x.uScale, x.rate = problem.Resize(x.uScale, p.Targets), problem.Resize(x.rate, p.Targets)
	clear(x.rowState)
	clear(x.state)
	for k := range x.lambda {
		from, to := p.MembersOf(k)
		low, high := x.rows.limits(k)
		x.lambda[k] = min(max(sparse.Dot(p.Coef[from:to], p.Dual[from:to]), low), high)
		x.dirty[k] = true
	}
	x.refresh()
	x.newton.reset()
}

// Newton makes Newton steps if some are due. They are stalled when they have become
// short, ready when the point may do for p.Goal.
func (x *Ascent) Newton(p *problem.Problem) (stalled, ready bool) {
	if x.newton.due() {
		return x.newton.step(x, p)
	}
	return false, false
}

// clash notes the hard rows of one variable whose places exclude each other.
func (x *Ascent) clash(p *problem.Problem, rows []event, lower, upper float64) {
	x.unbounded = true
	x.conflict = x.conflict[:0]
	below, above := problem.RowMultiplier{Row: -1}, problem.RowMultiplier{Row: -1}
	for _, e := range rows {
		kind := p.Kind[e.row]
		if kind > lcqp.HardEQ {
			continue
		}
		if (kind == lcqp.HardEQ || e.coef > 0) && e.at < upper {
			upper, below = e.at, problem.RowMultiplier{Row: e.row, Mu: 1 / e.coef}
		}
		if (kind == lcqp.HardEQ || e.coef < 0) && e.at > lower {
			lower, above = e.at, problem.RowMultiplier{Row: e.row, Mu: -1 / e.coef}
		}
	}
	for _, f := range [...]problem.RowMultiplier{below, above} {
		if f.Row >= 0 {
			x.conflict = append(x.conflict, f)
		}
	}
}

// refresh recomputes everything from λ, which also clears rounding that has
// gathered in u.
func (x *Ascent) refresh() {
	g := x.groups
	clear(x.u)
	clear(x.uScale)
	for k, v := range x.lambda {
		x.placeRow(k)
		if v == 0 {
			continue
		}
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			x.u[g.Col[j]] += g.Val[j] * v
			x.uScale[g.Col[j]] += math.Abs(g.Val[j] * v)
		}
	}
	for i, u := range x.u {
		old := x.y[i]
		x.y[i], x.rate[i], x.state[i] = x.targets.seek(i, -u, x.state[i])
		if x.y[i] != old {
			x.wake(int32(i))
		}
	}
}

func (x *Ascent) placeRow(k int) {
	x.z[k], _, x.rowState[k] = x.rows.seek(k, x.lambda[k], x.rowState[k])
	x.low[k], x.high[k] = x.rows.ends(k, x.lambda[k], x.rowState[k])
}

// slope returns the partial derivative of the dual at λ_g: 0 when the left-hand
// side lies within the places that belong to λ_g, and 0 when it cannot be told
// from rounding in u and y. Without the latter, steps would chase noise and
// carry multipliers far along directions in which the dual is flat.
func (x *Ascent) slope(k int) float64 {
	g := x.groups
	v, scale := 0.0, 0.0
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		i := g.Col[j]
		v += g.Val[j] * x.y[i]
		scale += math.Abs(g.Val[j]) * (10*math.Abs(x.y[i]) + x.rate[i]*x.uScale[i])
	}
	switch {
	case v > x.high[k]:
		v -= x.high[k]
	case v < x.low[k]:
		v -= x.low[k]
	default:
		return 0
	}
	if math.Abs(v) <= 4e-16*scale {
		return 0
	}
	return v
}

// Iterate makes one sweep over the dirty groups.
func (x *Ascent) Iterate(p *problem.Problem) problem.Progress {
	if x.sweep(p) == 0 || x.unbounded {
		return problem.Settled
	}
	return problem.Moving
}

// sweep visits the dirty groups in order and returns the largest partial
// derivative it met.
func (x *Ascent) sweep(p *problem.Problem) float64 {
	g := x.groups
	largest := 0.0
	for k := range x.lambda {
		if !x.dirty[k] {
			continue
		}
		x.dirty[k] = false
		f := x.slope(k)
		if f == 0 {
			continue
		}
		largest = max(largest, math.Abs(f))
		p.Stats.BlockUpdates++
		lambda := x.search.maximise(x, k, f)
		if math.IsInf(lambda, 0) {
			// All targets have come to the end of their ways and the row is
			// still violated. Far out on this ray the multipliers are a proof.
			x.unbounded = true
			lambda = math.Copysign(farOut, lambda)
		}
		delta := lambda - x.lambda[k]
		x.lambda[k] = lambda
		x.placeRow(k)
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			x.placeTarget(g.Col[j], x.u[g.Col[j]]+g.Val[j]*delta)
		}
	}
	return largest
}

// placeTarget sets u_i and marks the groups that see y_i move.
func (x *Ascent) placeTarget(i int32, u float64) {
	x.uScale[i] = max(x.uScale[i], math.Abs(u), math.Abs(u-x.u[i]))
	x.u[i] = u
	old := x.y[i]
	x.y[i], x.rate[i], x.state[i] = x.targets.seek(int(i), -u, x.state[i])
	if x.y[i] != old {
		x.wake(i)
	}
}

// wake marks the groups that see y_i.
func (x *Ascent) wake(i int32) {
	for j := x.targetPtr[i]; j < x.targetPtr[i+1]; j++ {
		x.dirty[x.groupOf[j]] = true
	}
}
