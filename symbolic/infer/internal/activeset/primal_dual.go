package activeset

import (
	"math"

	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// primalDual makes a warm start pay. From the old solution it takes which rows and
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
type primalDual struct {
	rows  kkt.Rows
	state []State
	hold  []int8 // by target: −1 at Lower, 1 at Upper

	y, dy, gradient, diagonal      []float64 // by target
	side, sideStep, weight, extra  []float64 // by left-hand side
	base                           []float64 // multipliers by row
	kkt                            *kkt.Matrix
	full, sol, res, startY, startD []float64
}

// State is the state of a row.
type State uint8

const (
	Idle   State = iota // μ = 0
	Tight               // a·y + b = 0, μ between its limits
	Active              // slack > 0, μ follows from it
)

// run goes on from p.Y and p.Dual, or from an interior point of p, and leaves its
// answer there. It returns false, with p as it was, when it does not settle.
func (x *primalDual) run(p *problem.Problem, from Interior) bool {
	if x.kkt == nil {
		x.kkt = new(kkt.Matrix)
	}
	if !x.kkt.Start(p, 1e-14, shortFactor) {
		return false
	}
	x.startY, x.startD = append(x.startY[:0], p.Y...), append(x.startD[:0], p.Dual...)
	x.start(p)
	if from != nil {
		from.States(x.y, x.rows.Mu, x.state, x.hold)
	}
	pace := 4 // with kinks small changes may go on for ever
	if !Kinked(p) {
		pace = 2
	}
	quiet, last, fewest, since := 0, math.MaxInt, math.MaxInt, 0
	for range mostSteps {
		if !x.step(p, quiet > 0) {
			break
		}
		changes := x.change(p)
		if changes > fewChanges && 2*changes > last || changes > manyChanges && pace*changes > min(last, p.Rows) {
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
func (x *primalDual) start(p *problem.Problem) {
	n := p.Targets
	for _, v := range []*[]float64{&x.y, &x.dy, &x.gradient, &x.diagonal} {
		*v = problem.Resize(*v, n)
	}
	for _, v := range []*[]float64{&x.side, &x.sideStep, &x.weight, &x.extra} {
		*v = problem.Resize(*v, n+p.Forms.Len())
	}
	for _, v := range []*[]float64{&x.full, &x.sol, &x.res} {
		*v = problem.Resize(*v, x.kkt.N)
	}
	r := &x.rows
	r.Start(p)
	x.state, x.base = problem.Resize(x.state, p.Rows), problem.Resize(x.base, p.Rows)
	for n, k := range r.Row {
		mu := p.Dual[k]
		r.Mu[n], x.state[n] = mu, Idle
		switch kind := p.Kind[k]; {
		case kind == lcqp.HardEQ, kind == lcqp.HardLE && mu > leastMultiplier:
			x.state[n] = Tight
		case kind == lcqp.Square && mu > leastMultiplier, kind == lcqp.Linear && mu >= p.Weight[k]*(1-1e-9):
			x.state[n] = Active
		case kind == lcqp.Linear && mu > leastMultiplier:
			x.state[n] = Tight
		}
	}
	x.hold = problem.Resize(x.hold, n)
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
func (x *primalDual) step(p *problem.Problem, again bool) bool {
	r := &x.rows
	r.Sides(p, x.y, x.side)
	x.multipliers()
	clear(x.sideStep)
	for n, f := range r.Of {
		x.sideStep[f] += r.Coef[n] * x.base[n]
	}
	for i, y := range x.y {
		x.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	r.Gather(p, x.sideStep, x.gradient)
	if !again {
		for i, h := range x.hold {
			x.diagonal[i] = 2*p.Quad[i] + x.weight[i]
			if h != 0 {
				x.diagonal[i] = heldTarget
			}
		}
		x.kkt.Set(p.Forms, x.diagonal, x.weight[p.Targets:])
		x.kkt.Factor()
		p.Stats.Factorizations++
	}
	p.Stats.Newton++
	for i, g := range x.gradient {
		x.full[i] = -g
	}
	for e, k := range x.kkt.Forms {
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
	r.Gather(p, x.extra, x.full[:p.Targets])
	for i, h := range x.hold {
		switch {
		case h < 0:
			x.full[i] = heldTarget * (p.Lower[i] - x.y[i])
		case h > 0:
			x.full[i] = heldTarget * (p.Upper[i] - x.y[i])
		}
	}
	copy(x.sol, x.full)
	x.kkt.Solve(x.sol)
	if again { // the last step, which is to be exact
		x.kkt.Residual(p.Forms, x.diagonal, x.weight[p.Targets:], x.sol, x.full, x.res)
		x.kkt.Solve(x.res)
		for i, v := range x.res {
			x.sol[i] += v
		}
	}
	copy(x.dy, x.sol[:p.Targets])
	finite := sparse.Dot(x.dy, x.dy)
	if math.IsNaN(finite) || math.IsInf(finite, 0) {
		return false
	}
	r.Sides(p, x.dy, x.sideStep)
	x.move(p)
	return true
}

// multipliers computes, for the present y and states, each row's multiplier, θ
// and the extra multiplier that its violation asks for; the latter two are
// summed up by left-hand side.
func (x *primalDual) multipliers() {
	r := &x.rows
	clear(x.weight)
	clear(x.extra)
	for n, state := range x.state {
		f, c := r.Of[n], r.Coef[n]
		theta := 0.0
		x.base[n], r.Lift[n] = 0, 0
		switch {
		case state == Idle:
		case state == Tight:
			theta = 1 / proximal
			x.base[n] = r.Mu[n]
			r.Lift[n] = (c*x.side[f] + r.B[n]) * theta
			x.extra[f] += c * r.Lift[n]
		case n < r.Plain:
			theta = 1 / r.Half[n]
			x.base[n] = theta * (c*x.side[f] + r.B[n])
		default:
			l := n - r.Plain
			theta = r.Bend[l]
			x.base[n] = r.Weight[l] + theta*(c*x.side[f]+r.B[n])
		}
		r.Theta[n] = theta
		x.weight[f] += c * c * theta
	}
}

// move takes the step.
func (x *primalDual) move(p *problem.Problem) {
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
		f := r.Of[n]
		d := r.Lift[n] + r.Theta[n]*r.Coef[n]*x.sideStep[f]
		r.Mu[n] = x.base[n] + d
		rest[f] += r.Coef[n] * d
	}
	for e, k := range x.kkt.Forms {
		rest[p.Targets+int(k)] -= x.sol[p.Targets+e]
	}
	for n := len(x.state) - 1; n >= 0; n-- {
		f := int(r.Of[n])
		if x.state[n] == Tight && f >= p.Targets && x.kkt.Apart[f-p.Targets] >= 0 {
			r.Mu[n] -= rest[f] / r.Coef[n]
			rest[f] = 0
		}
	}
}

// change moves rows and targets on the wrong side to another state and returns
// how many there are.
func (x *primalDual) change(p *problem.Problem) int {
	const off = 1e-11
	r := &x.rows
	r.Sides(p, x.y, x.side)
	changes := 0
	for n, state := range x.state {
		next := state
		a := r.Coef[n]*x.side[r.Of[n]] + r.B[n]
		switch {
		case n >= r.Plain+r.Linear: // equalities stay
		case n >= r.Plain:
			w := r.Weight[n-r.Plain]
			switch {
			case state == Tight && r.Mu[n] < -off, state == Active && a < -nearKink:
				next = Idle
			case state == Tight && r.Mu[n] > w+off, state == Idle && a > nearKink:
				next = Active
			case state == Idle && a > off, state == Active && a < -off:
				next = Tight
				r.Mu[n] = min(max(r.Mu[n], 0), w)
			}
		case r.Half[n] == 0:
			if state == Tight && r.Mu[n] < -off {
				next = Idle
			} else if state == Idle && a > off {
				next = Tight
				r.Mu[n] = 0
			}
		default:
			if state == Active && a < -off {
				next = Idle
			} else if state == Idle && a > off {
				next = Active
			}
		}
		if next != state {
			x.state[n] = next
			changes++
		}
	}
	clear(x.sideStep)
	for n, f := range r.Of {
		x.sideStep[f] += r.Coef[n] * r.Mu[n]
	}
	for i, y := range x.y {
		x.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	r.Gather(p, x.sideStep, x.gradient)
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
func (x *primalDual) finish(p *problem.Problem) {
	r := &x.rows
	for i, y := range x.y {
		p.Y[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	for n, k := range r.Row {
		mu := r.Mu[n]
		if p.Kind[k] != lcqp.HardEQ {
			mu = max(mu, 0)
		}
		p.Dual[k] = mu
	}
}
