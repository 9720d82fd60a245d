package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

// largestLeap bounds the targets of a leap, as finding the elimination order
// takes quadratic time, and largestFactor the entries of the factor;
// leapAccuracy is the gap, relative to 1e-3 + |dual|, at which it ends.
const (
	largestLeap   = 10000
	largestFactor = 1 << 20
	leapAccuracy  = 1e-10
)

// leap is the state of DualBCD's way out of short steps.
//
// Where ε is tiny and constraints are many, the dual is nearly piecewise
// linear, with a breakpoint at every turn, and ascent methods crawl along its
// edges. The interior point method does not see them. It is run on the rows
// that are active or nearly so, and again with more rows until no other is
// violated.
type leap struct {
	stalls   int  // how often Newton steps have stalled
	landed   bool // the interior point's answer, left in the problem, is ours
	interior interiorPoint
	part     Problem // the problem with some of its rows
	rows     []int32 // of part in the problem
	in       []bool  // whether a row is in part

	safeY, safeDual, oldLambda, pull []float64
}

// jump moves λ to the interior point's multipliers, with those of inactive rows
// set to zero, if the dual is higher there. Sweeps and Newton steps then make
// the answer exact. If they keep stalling, the interior point itself is the
// answer.
func (x *dualBCD) jump(p *Problem) Progress {
	l := &x.leap
	l.stalls++
	first := 1
	if len(x.newton.active) < denseLimit {
		first = 5 // Newton steps of small systems are cheaper than the leap
	}
	switch {
	case l.stalls == first && p.Targets <= largestLeap:
		x.leapTo(p)
	case l.stalls > first && len(l.safeDual) > 0:
		copy(p.Y, l.safeY)
		copy(p.Dual, l.safeDual)
		l.landed = true
		return Settled
	}
	return Moving
}

func (l *leap) reset() { l.stalls, l.landed, l.safeDual = 0, false, l.safeDual[:0] }

// leapTo finds the interior point's answer, keeps it and moves λ there unless
// the dual is lower.
func (x *dualBCD) leapTo(p *Problem) {
	l := &x.leap
	l.pull = resize(l.pull, p.Targets)
	x.Point(p)
	before := p.evaluate(l.pull).dual
	l.oldLambda = append(l.oldLambda[:0], x.lambda...)
	if !l.solve(p) {
		return
	}
	if v := p.evaluate(l.pull); !(v.dual > before) || math.IsInf(v.dual, 0) {
		return
	}
	l.safeY, l.safeDual = append(l.safeY[:0], p.Y...), append(l.safeDual[:0], p.Dual...)
	x.adopt(p)
	x.Point(p)
	if p.evaluate(l.pull).dual < before {
		copy(x.lambda, l.oldLambda)
		x.refresh()
	}
}

// solve leaves the interior point's answer in p. It returns false when its
// systems are too big, or when it runs on rows in vain.
func (l *leap) solve(p *Problem) bool {
	l.in = resize(l.in, p.Rows)
	for k := range l.in {
		l.in[k] = p.Kind[k] == lcqp.HardEQ || p.Dual[k] != 0 || p.Activity(k, p.Y) > -0.1
	}
	for range 5 {
		if !l.solvePart(p) {
			return false
		}
		violated := false
		for k := range l.in {
			violated = violated || !l.in[k] && p.Activity(k, p.Y) > leapAccuracy
		}
		if !violated {
			return true
		}
		for k := range l.in {
			l.in[k] = l.in[k] || p.Activity(k, p.Y) > -0.02
		}
	}
	return false
}

// solvePart runs the interior point method on the rows in part and leaves the
// answer, with zero multipliers for the other rows, in p.
func (l *leap) solvePart(p *Problem) bool {
	q := &l.part
	q.resizeTargets(p.Targets)
	copy(q.Quad, p.Quad)
	copy(q.Lin, p.Lin)
	copy(q.Lower, p.Lower)
	copy(q.Upper, p.Upper)
	q.resizeRows()
	l.rows = l.rows[:0]
	for k, in := range l.in {
		if !in {
			continue
		}
		l.rows = append(l.rows, int32(k))
		q.addRow(p.Kind[k], p.B[k], p.Weight[k], p.Curv[k])
		q.Col = append(q.Col, p.Col[p.Ptr[k]:p.Ptr[k+1]]...)
		q.Val = append(q.Val, p.Val[p.Ptr[k]:p.Ptr[k+1]]...)
		q.Ptr = append(q.Ptr, int32(len(q.Col)))
	}
	q.Rows = len(q.Kind)
	for i := range q.Y {
		q.Y[i] = (q.Lower[i] + q.Upper[i]) / 2
	}
	l.interior.Init(q)
	if l.interior.system.kkt.fill() > largestFactor {
		return false
	}
	q.Stats = Stats{}
	l.run(q)
	p.Stats.Factorizations += q.Stats.Factorizations
	copy(p.Y, q.Y)
	clear(p.Dual)
	for n, k := range l.rows {
		p.Dual[k] = q.Dual[n]
	}
	return true
}

// run iterates until the gap of q is closed. Less accuracy does not pay: the
// sets of active rows would differ and Newton steps stall again.
func (l *leap) run(q *Problem) {
	limit, _ := InteriorPoint{}.Defaults()
	for range limit {
		progress := l.interior.Iterate(q)
		l.interior.Point(q)
		v := q.evaluate(l.pull)
		if progress == Settled || math.Abs(v.primal-v.dual) <= leapAccuracy*(1e-3+math.Abs(v.dual)) &&
			v.violation <= leapAccuracy && v.stationarity <= 100*leapAccuracy {
			return
		}
	}
}

// adopt takes λ from the interior point. A multiplier smaller than its row's
// distance from being active belongs to an inactive row and becomes zero.
func (x *dualBCD) adopt(p *Problem) {
	g, l := &x.groups, &x.leap
	for n, k := range l.rows {
		if l.interior.t[n] >= l.interior.mu[n] && p.Kind[k] != lcqp.HardEQ {
			p.Dual[k] = 0
		}
	}
	for k := range x.lambda {
		v := 0.0
		for _, e := range g.members(k) {
			v += e.coef * p.Dual[e.row]
		}
		low, high := x.rows.limits(k)
		x.lambda[k] = min(max(v, low), high)
		x.dirty[k] = true
	}
	x.refresh()
}
