package activeset

import (
	"math"

	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// primalDual makes a warm start pay. It takes from the old solution which rows and bounds are
// active, and how, and solves the equations that hold if they stay active: one factorisation.
// Rows and bounds on the wrong side of their conditions then change their state, and so on (a
// primal–dual active set method, which is Newton's on the optimality conditions). If the
// change of the problem is small, this takes a few steps. There is no guarantee, so their number
// is bounded.
//
// The method of multipliers keeps active constraints: their error may be as large as proximal
// times the change of their multiplier. So dependent constraints do no harm, and the next step
// corrects the error.
type primalDual struct {
	rows  kkt.Rows
	state []State
	twin  []int32 // of each row, −1 for none
	hold  []int8  // by target: −1 at Lower, 1 at Upper

	changes []change
	worst   []float64 // by target: how far off the worst change is
	apart   float64   // how far off the tight row is that is off most
	one     [1]int32

	y, dy, gradient, diagonal     []float64 // by target
	side, sideStep, weight, extra []float64 // by left-hand side
	base                          []float64 // multipliers by row
	// By row: its multiplier changes by theta·coef·(change of its left-hand side) + lift.
	theta, lift                    []float64
	kkt                            *kkt.Matrix
	full, sol, res, startY, startD []float64

	fewest        int // least number of changes in a step of the last run, and its point
	bestY, bestMu []float64
}

// run goes on from p.Y and p.Dual, or from an interior point of p, and leaves its
// answer there. It returns false, with p as it was, when it does not settle, or where more than
// tight rows for each target that is at no bound are tight at the start.
func (x *primalDual) run(p *problem.Problem, from Interior, l sparse.Limits, tight float64) bool {
	x.fewest = math.MaxInt
	if x.kkt == nil {
		x.kkt = new(kkt.Matrix)
	}
	if !x.kkt.Start(p, 1e-14, l) {
		return false
	}
	x.startY, x.startD = append(x.startY[:0], p.Y...), append(x.startD[:0], p.Dual...)
	x.start(p)
	if from != nil {
		from.States(x.y, x.rows.Mu, x.state, x.hold)
	}
	x.settle(p)
	if x.tight(p) > tight {
		return false
	}
	quiet, since, last := 0, 0, math.MaxInt
	for range mostSteps {
		if !x.step(p, quiet > 0) {
			break
		}
		wrong := offStep
		if quiet > 0 {
			wrong = off
		}
		changes := x.change(p, wrong)
		switch {
		case changes > 0:
			quiet = 0
		case quiet > 0 && x.apart <= offTight:
			x.finish(p)
			return true
		default:
			quiet++
		}
		if from != nil && !Small(p) && changes > max(fewChanges, (p.Rows+p.Targets)/eachPolished) {
			break
		}
		if changes > fewChanges && farAway*changes > p.Rows+p.Targets || changes > manyChanges && left(last, changes) > mostLeft {
			break
		}
		last = changes
		// Changes that go on are a cycle.
		if since++; 2*changes <= x.fewest {
			since = 0
		}
		if changes < x.fewest {
			x.fewest = changes
			x.bestY, x.bestMu = append(x.bestY[:0], x.y...), append(x.bestMu[:0], x.rows.Mu...)
		}
		wait := patience
		if x.fewest <= p.Targets/eachLeft {
			wait = patienceNear
		}
		if since >= wait && x.fewest > fewChanges || since > 2*patience {
			break
		}
	}
	copy(p.Y, x.startY)
	copy(p.Dual, x.startD)
	return false
}

// tight returns the average number of tight rows on a target that is at no bound. It adds one
// to the number of these targets, since at a vertex there may be none.
func (x *primalDual) tight(p *problem.Problem) float64 {
	rows, free := 0, 1
	for n, state := range x.state {
		if state == Tight && !x.held(p, n) {
			rows++
		}
	}
	for _, h := range x.hold {
		if h == 0 {
			free++
		}
	}
	return float64(rows) / float64(free)
}

// left returns the number of steps to the end if each makes as many times fewer changes as
// the last one.
func left(last, changes int) float64 {
	if changes >= last {
		return math.Inf(1)
	}
	return math.Log(float64(changes)) / math.Log(float64(last)/float64(changes))
}

// step solves the equations of the present states. sameMatrix reports whether no state has changed
// since the last step, so that its factor serves again.
func (x *primalDual) step(p *problem.Problem, sameMatrix bool) bool {
	r := &x.rows
	r.Sides(p, x.y, x.side)
	x.multipliers(p)
	clear(x.sideStep)
	for n, f := range r.Of {
		x.sideStep[f] += r.Coef[n] * x.base[n]
	}
	for i, y := range x.y {
		x.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	r.Gather(p, x.sideStep, x.gradient)
	if !sameMatrix {
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
	// The last step, with the same matrix, is made exact.
	x.kkt.SolveFor(p.Forms, x.diagonal, x.weight[p.Targets:], x.full, x.sol, x.res, sameMatrix)
	copy(x.dy, x.sol[:p.Targets])
	finite := sparse.Dot(x.dy, x.dy)
	if math.IsNaN(finite) || math.IsInf(finite, 0) {
		return false
	}
	r.Sides(p, x.dy, x.sideStep)
	x.advance(p)
	return true
}

// multipliers computes, for the present y and states, each row's multiplier, θ
// and the extra multiplier that its violation asks for; the latter two are
// summed up by left-hand side.
func (x *primalDual) multipliers(p *problem.Problem) {
	r := &x.rows
	clear(x.weight)
	clear(x.extra)
	for n, state := range x.state {
		f, c := r.Of[n], r.Coef[n]
		theta := 0.0
		if state == Tight && n < r.Plain+r.Linear && x.held(p, n) {
			// Two ties to different places would have no solution.
			bound := p.Lower[f]
			if x.hold[f] > 0 {
				bound = p.Upper[f]
			}
			if state = Idle; n >= r.Plain && c*bound+r.B[n] > 0 {
				state = Active
			}
			x.state[n] = state
		}
		x.base[n], x.lift[n] = 0, 0
		switch {
		case state == Idle:
		case state == Tight:
			theta = 1 / proximal
			x.base[n] = r.Mu[n]
			x.lift[n] = (c*x.side[f] + r.B[n]) * theta
			x.extra[f] += c * x.lift[n]
		case n < r.Plain:
			theta = 1 / r.Half[n]
			x.base[n] = theta * (c*x.side[f] + r.B[n])
		default:
			l := n - r.Plain
			theta = 2 * r.Curv[l]
			x.base[n] = r.Weight[l] + theta*(c*x.side[f]+r.B[n])
		}
		x.theta[n] = theta
		x.weight[f] += c * c * theta
	}
}

// advance takes the step.
func (x *primalDual) advance(p *problem.Problem) {
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
	// For a separate form the change of the multiplier is an unknown, more exact than θ·Δz:
	// its last tight row takes the part that the others leave.
	rest := x.extra
	clear(rest)
	for n := range x.state {
		f := r.Of[n]
		d := x.lift[n] + x.theta[n]*r.Coef[n]*x.sideStep[f]
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

// nearest writes the point of the last run that needed the fewest changes. It returns false
// where that point was not near an end.
func (x *primalDual) nearest(p *problem.Problem) bool {
	if x.fewest > p.Targets/eachLeft {
		return false
	}
	copy(x.y, x.bestY)
	copy(x.rows.Mu, x.bestMu)
	x.finish(p)
	return true
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
