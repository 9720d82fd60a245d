package activeset

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// State is the state of a row.
type State uint8

const (
	Idle   State = iota // μ = 0
	Tight               // a·y + b = 0, μ between its limits
	Active              // slack > 0, μ follows from it
)

// change is a row, or −1 − a target, on the wrong side by some amount, and its next state.
type change struct {
	at   int32
	next int8
	by   float64
}

// start reads the states from the point: a row is active or a target at its bound where
// the multiplier is larger than the distance, so that inexact points will do.
func (x *primalDual) start(p *problem.Problem) {
	n := p.Targets
	problem.ResizeAll(n, &x.y, &x.dy, &x.gradient, &x.diagonal, &x.worst)
	problem.ResizeAll(n+p.Forms.Len(), &x.side, &x.sideStep, &x.weight, &x.extra)
	problem.ResizeAll(x.kkt.N, &x.full, &x.sol, &x.res)
	r := &x.rows
	r.Start(p)
	x.state = problem.Resize(x.state, p.Rows)
	problem.ResizeAll(p.Rows, &x.base, &x.theta, &x.lift)
	copy(x.y, p.Y)
	r.Sides(p, x.y, x.side)
	for n, k := range r.Row {
		mu, a := p.Dual[k], r.Coef[n]*x.side[r.Of[n]]+r.B[n]
		r.Mu[n], x.state[n] = mu, Idle
		switch kind := p.Kind[k]; {
		case kind == lcqp.HardEQ, kind == lcqp.HardLE && mu+a > 0:
			x.state[n] = Tight
		case kind == lcqp.Square && a > 0, kind == lcqp.Linear && mu+a > p.Weight[k]:
			x.state[n] = Active
		case kind == lcqp.Linear && mu+a > 0:
			x.state[n] = Tight
		}
	}
	x.hold = problem.Resize(x.hold, n)
	p.Pull(p.Dual, x.gradient)
	for i, y := range x.y {
		g := x.gradient[i] + 2*p.Quad[i]*y
		x.hold[i] = 0
		if g > y-p.Lower[i]+leastMultiplier {
			x.hold[i] = -1
		} else if -g > p.Upper[i]-y+leastMultiplier {
			x.hold[i] = 1
		}
	}
}

// settle leaves one state where an inexact point shows two at one place: of twins, the
// mirror images of each other, and of a bound and a kink of the same target.
func (x *primalDual) settle(p *problem.Problem) {
	x.pair()
	r := &x.rows
	for n, f := range r.Of[:r.Plain+r.Linear] {
		if x.state[n] != Tight || int(f) >= p.Targets {
			continue
		}
		low, up := r.Coef[n]*p.Lower[f]+r.B[n], r.Coef[n]*p.Upper[f]+r.B[n]
		if x.hold[f] = 0; n < r.Plain || min(low, up) < -off && max(low, up) > off {
			continue
		}
		if x.state[n] = Idle; low+up > 0 {
			x.state[n] = Active
		}
		if x.hold[f] = 1; math.Abs(low) < math.Abs(up) {
			x.hold[f] = -1
		}
	}
}

// pair finds the twins: two linear or two squared potentials that mirror each other, such as
// the two that make |z|. At most one of them is not idle from now on.
func (x *primalDual) pair() {
	r := &x.rows
	x.twin = problem.Resize(x.twin, len(r.Row))
	for n := range x.twin {
		x.twin[n] = -1
	}
	for n := range max(r.Plain+r.Linear-1, 0) {
		m := n + 1
		if r.Of[n] != r.Of[m] || m == r.Plain || r.Coef[n]*r.Coef[m] >= 0 || r.B[n]*r.Coef[m] != r.B[m]*r.Coef[n] ||
			n < r.Plain && (r.Half[n] == 0 || r.Half[m] == 0) || x.twin[n] >= 0 {
			continue
		}
		x.twin[n], x.twin[m] = int32(m), int32(n)
		if x.state[n] == Idle || x.state[m] == Idle {
			continue
		}
		if r.Mu[n] < r.Mu[m] {
			n, m = m, n
		}
		r.Mu[n] += r.Mu[m] * r.Coef[m] / r.Coef[n]
		r.Mu[m], x.state[m] = 0, Idle
	}
}

// change moves rows and targets on the wrong side to another state and returns how many
// there are, wrong by more than off. Of those that share a target only the one moves that is off most: all at once
// they would overshoot, and go round in circles.
func (x *primalDual) change(p *problem.Problem, off float64) int {
	r := &x.rows
	r.Sides(p, x.y, x.side)
	for i, y := range x.y { // rows that would change beyond a bound need not
		x.side[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	x.changes, x.apart = x.changes[:0], 0
	clear(x.worst)
	for n, state := range x.state {
		a := r.Coef[n]*x.side[r.Of[n]] + r.B[n]
		if state == Tight {
			x.apart = max(x.apart, math.Abs(a))
		}
		if n >= r.Plain+r.Linear {
			continue // an equality
		}
		if next, by := x.next(p, n, a, off); next != x.state[n] {
			x.changes = append(x.changes, change{int32(n), int8(next), by})
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
		g, y := x.gradient[i], x.y[i]
		switch {
		case h < 0 && g < -off || h > 0 && g > off:
			x.changes = append(x.changes, change{int32(-1 - i), 0, math.Abs(g)})
		case h == 0 && y < p.Lower[i]-off:
			x.changes = append(x.changes, change{int32(-1 - i), -1, p.Lower[i] - y})
		case h == 0 && y > p.Upper[i]+off:
			x.changes = append(x.changes, change{int32(-1 - i), 1, y - p.Upper[i]})
		}
	}
	for _, c := range x.changes {
		for _, i := range x.targets(p, c.at) {
			x.worst[i] = max(x.worst[i], c.by)
		}
	}
	for _, c := range x.changes {
		worst := true
		for _, i := range x.targets(p, c.at) {
			worst = worst && c.by >= x.worst[i]
		}
		switch {
		case !worst:
		case c.at < 0:
			x.hold[-1-c.at] = c.next
		default:
			x.move(int(c.at), State(c.next))
		}
	}
	return len(x.changes)
}

// targets lists the targets of a change.
func (x *primalDual) targets(p *problem.Problem, at int32) []int32 {
	if at >= 0 {
		at = x.rows.Of[at]
	} else {
		at = -1 - at
	}
	if f := int(at) - p.Targets; f >= 0 {
		return p.Forms.Col[p.Forms.Ptr[f]:p.Forms.Ptr[f+1]]
	}
	x.one[0] = at
	return x.one[:]
}

// next returns the state that row n of activity a should have, and by how much it is off.
// A twin takes over at once where nothing changes by it.
func (x *primalDual) next(p *problem.Problem, n int, a, off float64) (next State, by float64) {
	r, state, mu, twin := &x.rows, x.state[n], x.rows.Mu[n], x.twin[n]
	if n < r.Plain {
		switch {
		case state == Idle && a > off && r.Half[n] > 0:
			return Active, a
		case state == Idle && a > off:
			return Tight, a
		case state == Tight && mu < -off:
			return Idle, -mu
		case state == Active && a < -off:
			if twin >= 0 && r.Half[twin] == r.Half[n] && r.Coef[twin] == -r.Coef[n] {
				x.state[n], x.state[twin] = Idle, Active
				return Idle, 0
			}
			return Idle, -a
		}
		return state, 0
	}
	w := r.Weight[n-r.Plain]
	switch held := x.held(p, n); {
	case state == Idle && a > off && (twin < 0 || x.state[twin] == Idle):
		if held { // where there is no tie elsewhere
			return Active, a
		}
		return Tight, a
	case state == Tight && mu < -off:
		if over := -mu * r.Coef[n] / -r.Coef[max(twin, 0)]; twin >= 0 && over <= r.Weight[int(twin)-r.Plain] {
			r.Mu[n], r.Mu[twin], x.state[n], x.state[twin] = 0, over, Idle, Tight
			return Idle, 0
		}
		return Idle, -mu
	case state == Tight && mu > w+off:
		return Active, mu - w
	case state == Active && a < -off:
		if held {
			return Idle, -a
		}
		return Tight, -a
	}
	return state, 0
}

// held reports whether row n is one of a single target that is at a bound.
func (x *primalDual) held(p *problem.Problem, n int) bool {
	f := int(x.rows.Of[n])
	return f < p.Targets && x.hold[f] != 0
}

// move gives row n its next state.
func (x *primalDual) move(n int, next State) {
	r := &x.rows
	last := x.state[n]
	x.state[n] = next
	switch twin := x.twin[n]; {
	case next == Tight && last == Idle:
		r.Mu[n] = 0
	case next == Tight:
		r.Mu[n] = r.Weight[n-r.Plain]
	case next == Idle && twin >= 0:
		x.state[twin] = Active // beyond the kink
	}
}
