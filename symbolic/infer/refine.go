package infer

import (
	"math"

	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// refiner makes a warm start pay. From the old solution it takes which rows and
// bounds are active, and how, and solves the equations that hold if they stay
// so: one factorisation. Rows and bounds on the wrong side of their conditions
// then change their state, and so on (a primal–dual active set method, which is
// Newton's on the optimality conditions). If the change of the problem is small,
// this takes a step or two. There is no guarantee, so steps are few, and when
// they do not settle, the method starts as if nothing had been.
//
// Active constraints are kept by the method of multipliers: they may be off by
// refineProximal times the change of their multiplier, so that dependent ones
// do no harm, and the next step makes that good.
type refiner struct {
	rows  sortedRows
	state []rowActivity
	hold  []int8 // by target: −1 at Lower, 1 at Upper

	y, dy, gradient, diagonal      []float64 // by target
	side, sideStep, weight, extra  []float64 // by left-hand side
	base                           []float64 // multipliers by row
	kkt                            kkt
	full, sol, res, startY, startD []float64
}

// rowActivity is the state of a row.
type rowActivity uint8

const (
	rowIdle   rowActivity = iota // μ = 0
	rowTight                     // a·y + b = 0, μ between its limits
	rowActive                    // slack > 0, μ follows from it
)

const (
	refineProximal = 1e-7
	refineSteps    = 12
	// fewChanges may change state in a step even if they were as many in the
	// step before.
	fewChanges = 4
	// manyChanges, or a quarter of all rows and targets, in the first step are too
	// many for another one.
	manyChanges = 48
	// heldTarget is the diagonal that stands for a target at a bound.
	heldTarget = 1e18
	// leastMultiplier tells zero multipliers from others, nearKink how far on
	// the wrong side a linear potential may be to be tried at its kink first.
	leastMultiplier = 1e-9
	nearKink        = 0.02
)

// run goes on from p.Y and p.Dual, or from an interior point of p, and leaves its
// answer there. It returns false, with p as it was, when it does not settle.
func (x *refiner) run(p *Problem, from interior) bool {
	if !x.kkt.start(p, 1e-14, shortFactor) {
		return false
	}
	x.startY, x.startD = append(x.startY[:0], p.Y...), append(x.startD[:0], p.Dual...)
	x.start(p)
	if from != nil {
		from.states(x.y, x.rows.mu, x.state, x.hold)
	}
	quiet, last, fewest, since := 0, math.MaxInt, math.MaxInt, 0
	for range refineSteps {
		if !x.step(p, quiet > 0) {
			break
		}
		changes := x.change(p)
		if 2*changes > last && changes > fewChanges || last == math.MaxInt && changes > max(manyChanges, (p.Rows+p.Targets)/4) {
			break // far from the old solution
		}
		last = changes
		switch {
		case changes > 0:
			quiet = 0
		case quiet > 0:
			x.finish(p)
			return true
		default:
			quiet++
		}
		// Few changes that go on are a cycle.
		if since++; changes < fewest {
			fewest, since = changes, 0
		}
		if since > 3 {
			break
		}
	}
	copy(p.Y, x.startY)
	copy(p.Dual, x.startD)
	return false
}

// start reads the states from the point.
func (x *refiner) start(p *Problem) {
	n := p.Targets
	for _, v := range []*[]float64{&x.y, &x.dy, &x.gradient, &x.diagonal} {
		*v = resize(*v, n)
	}
	for _, v := range []*[]float64{&x.side, &x.sideStep, &x.weight, &x.extra} {
		*v = resize(*v, n+p.forms.len())
	}
	for _, v := range []*[]float64{&x.full, &x.sol, &x.res} {
		*v = resize(*v, x.kkt.n)
	}
	r := &x.rows
	r.start(p)
	x.state, x.base = resize(x.state, p.Rows), resize(x.base, p.Rows)
	for n, k := range r.row {
		mu := p.Dual[k]
		r.mu[n], x.state[n] = mu, rowIdle
		switch kind := p.Kind[k]; {
		case kind == lcqp.HardEQ, kind == lcqp.HardLE && mu > leastMultiplier:
			x.state[n] = rowTight
		case kind == lcqp.Square && mu > leastMultiplier, kind == lcqp.Linear && mu >= p.Weight[k]*(1-1e-9):
			x.state[n] = rowActive
		case kind == lcqp.Linear && mu > leastMultiplier:
			x.state[n] = rowTight
		}
	}
	x.hold = resize(x.hold, n)
	copy(x.y, p.Y)
	for i, y := range x.y {
		x.hold[i] = 0
		if y <= p.Lower[i]+leastMultiplier {
			x.hold[i] = -1
		} else if y >= p.Upper[i]-leastMultiplier {
			x.hold[i] = 1
		}
	}
}

// step solves the equations of the present states. With again, the matrix is
// that of the last step.
func (x *refiner) step(p *Problem, again bool) bool {
	r := &x.rows
	r.sides(p, x.y, x.side)
	x.multipliers()
	clear(x.sideStep)
	for n, f := range r.of {
		x.sideStep[f] += r.coef[n] * x.base[n]
	}
	for i, y := range x.y {
		x.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	r.gather(p, x.sideStep, x.gradient)
	if !again {
		for i, h := range x.hold {
			x.diagonal[i] = 2*p.Quad[i] + x.weight[i]
			if h != 0 {
				x.diagonal[i] = heldTarget
			}
		}
		x.kkt.set(p.forms, x.diagonal, x.weight[p.Targets:])
		x.kkt.factor()
		p.Stats.Factorizations++
	}
	p.Stats.Newton++
	for i, g := range x.gradient {
		x.full[i] = -g
	}
	for e, k := range x.kkt.forms {
		f := p.Targets + int(k)
		x.full[p.Targets+e] = 0
		if x.weight[f] > 0 {
			x.full[p.Targets+e] = -x.extra[f] / x.weight[f]
		}
		x.extra[f] = 0
	}
	for f, v := range x.extra {
		x.extra[f] = -v
	}
	r.gather(p, x.extra, x.full[:p.Targets])
	for i, h := range x.hold {
		switch {
		case h < 0:
			x.full[i] = heldTarget * (p.Lower[i] - x.y[i])
		case h > 0:
			x.full[i] = heldTarget * (p.Upper[i] - x.y[i])
		}
	}
	copy(x.sol, x.full)
	x.kkt.solve(x.sol)
	if again { // the last step, which is to be exact
		x.kkt.residual(p.forms, x.diagonal, x.weight[p.Targets:], x.sol, x.full, x.res)
		x.kkt.solve(x.res)
		for i, v := range x.res {
			x.sol[i] += v
		}
	}
	copy(x.dy, x.sol[:p.Targets])
	finite := sparse.Dot(x.dy, x.dy)
	if math.IsNaN(finite) || math.IsInf(finite, 0) {
		return false
	}
	r.sides(p, x.dy, x.sideStep)
	x.move(p)
	return true
}

// multipliers computes, for the present y and states, each row's multiplier, θ
// and the extra multiplier that its violation asks for; the latter two are
// summed up by left-hand side.
func (x *refiner) multipliers() {
	r := &x.rows
	clear(x.weight)
	clear(x.extra)
	for n, state := range x.state {
		f, c := r.of[n], r.coef[n]
		theta := 0.0
		x.base[n], r.lift[n] = 0, 0
		switch {
		case state == rowIdle:
		case state == rowTight:
			theta = 1 / refineProximal
			x.base[n] = r.mu[n]
			r.lift[n] = (c*x.side[f] + r.b[n]) * theta
			x.extra[f] += c * r.lift[n]
		case n < r.plain:
			theta = 1 / r.half[n]
			x.base[n] = theta * (c*x.side[f] + r.b[n])
		default:
			l := n - r.plain
			theta = r.bend[l]
			x.base[n] = r.weight[l] + theta*(c*x.side[f]+r.b[n])
		}
		r.theta[n] = theta
		x.weight[f] += c * c * theta
	}
}

// move takes the step.
func (x *refiner) move(p *Problem) {
	r := &x.rows
	for i, d := range x.dy {
		switch x.hold[i] {
		case -1:
			x.y[i] = p.Lower[i]
		case 1:
			x.y[i] = p.Upper[i]
		default:
			x.y[i] += d
		}
	}
	// Of a form apart, the change of its multiplier is an unknown, more exact
	// than θ·Δz: its last tight row takes what the others leave.
	rest := x.extra
	clear(rest)
	for n := range x.state {
		f := r.of[n]
		d := r.lift[n] + r.theta[n]*r.coef[n]*x.sideStep[f]
		r.mu[n] = x.base[n] + d
		rest[f] += r.coef[n] * d
	}
	for e, k := range x.kkt.forms {
		rest[p.Targets+int(k)] -= x.sol[p.Targets+e]
	}
	for n := len(x.state) - 1; n >= 0; n-- {
		f := int(r.of[n])
		if x.state[n] == rowTight && f >= p.Targets && x.kkt.apart[f-p.Targets] >= 0 {
			r.mu[n] -= rest[f] / r.coef[n]
			rest[f] = 0
		}
	}
}

// change moves rows and targets on the wrong side to another state and returns
// how many there are.
func (x *refiner) change(p *Problem) int {
	const off = 1e-11
	r := &x.rows
	r.sides(p, x.y, x.side)
	changes := 0
	for n, state := range x.state {
		next := state
		a := r.coef[n]*x.side[r.of[n]] + r.b[n]
		switch {
		case n >= r.plain+r.linear: // equalities stay
		case n >= r.plain:
			w := r.weight[n-r.plain]
			switch {
			case state == rowTight && r.mu[n] < -off, state == rowActive && a < -nearKink:
				next = rowIdle
			case state == rowTight && r.mu[n] > w+off, state == rowIdle && a > nearKink:
				next = rowActive
			case state == rowIdle && a > off, state == rowActive && a < -off:
				next = rowTight
				r.mu[n] = min(max(r.mu[n], 0), w)
			}
		case r.half[n] == 0:
			if state == rowTight && r.mu[n] < -off {
				next = rowIdle
			} else if state == rowIdle && a > off {
				next = rowTight
				r.mu[n] = 0
			}
		default:
			if state == rowActive && a < -off {
				next = rowIdle
			} else if state == rowIdle && a > off {
				next = rowActive
			}
		}
		if next != state {
			x.state[n] = next
			changes++
		}
	}
	clear(x.sideStep)
	for n, f := range r.of {
		x.sideStep[f] += r.coef[n] * r.mu[n]
	}
	for i, y := range x.y {
		x.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	r.gather(p, x.sideStep, x.gradient)
	for i, h := range x.hold {
		next := h
		switch {
		case h < 0 && x.gradient[i] < -off || h > 0 && x.gradient[i] > off:
			next = 0
		case h == 0 && x.y[i] < p.Lower[i]-off:
			next = -1
		case h == 0 && x.y[i] > p.Upper[i]+off:
			next = 1
		}
		if next != h {
			x.hold[i] = next
			changes++
		}
	}
	return changes
}

// finish writes the point.
func (x *refiner) finish(p *Problem) {
	r := &x.rows
	for i, y := range x.y {
		p.Y[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	for n, k := range r.row {
		mu := r.mu[n]
		if p.Kind[k] != lcqp.HardEQ {
			mu = max(mu, 0)
		}
		p.Dual[k] = mu
	}
}
