package infer

import (
	"math"

	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// leapAccuracy is the gap, relative to 1e-3 + |dual|, at which a leap ends.
const leapAccuracy = 1e-10

// What the factor of a leap may take: where Newton steps and sweeps go on
// otherwise, and where they are known to be slow.
var (
	shortLeap = sparse.Limits{Fill: 1 << 20, Work: 1 << 26}
	longLeap  = sparse.Limits{Fill: 1 << 24, Work: 1 << 33}
)

// leap is the state of DualBCD's way out of short steps.
//
// Where ε is tiny and constraints are many, the dual is nearly piecewise
// linear, with a breakpoint at every turn, and ascent methods crawl along its
// edges. The interior point method does not see them. It is run on the rows
// that are active or nearly so, and again with more rows until no other is
// violated.
type leap struct {
	atOnce   bool // to be tried before anything else
	tried    bool // a rescue has failed
	stalls   int  // how often Newton steps have stalled
	landed   bool // the interior point's answer, left in the problem, is ours
	interior interiorPoint
	part     Problem // the problem with some of its rows
	rows     []int32 // of part in the problem
	in       []bool  // whether a row is in part

	safeY, safeDual, oldLambda, pull, activity []float64
}

// jump moves λ to the interior point's multipliers, with those of inactive rows
// set to zero, if the dual is higher there. Sweeps and Newton steps then make
// the answer exact. If they keep stalling, the interior point itself is the
// answer.
func (x *dualBCD) jump(p *Problem) Progress {
	l := &x.leap
	if x.sprints(p) && x.rescue(p) {
		return Settled
	}
	l.stalls++
	switch {
	case l.stalls == 1:
		l.interior.limits = shortLeap
		x.leapTo(p)
	case len(l.safeDual) > 0:
		l.land(p)
	}
	if l.landed {
		return Settled
	}
	return Moving
}

func (l *leap) reset() {
	l.atOnce, l.tried, l.stalls, l.landed, l.safeDual = false, false, 0, false, l.safeDual[:0]
}

// land makes the interior point's answer the point.
func (l *leap) land(p *Problem) {
	copy(p.Y, l.safeY)
	copy(p.Dual, l.safeDual)
	l.landed = true
}

// leapFirst lands where a leap from the present point leads. It returns false
// when there is no way.
func (x *dualBCD) leapFirst(p *Problem) bool {
	l := &x.leap
	l.atOnce = false
	l.interior.limits = longLeap
	x.leapTo(p)
	if len(l.safeDual) == 0 {
		return false
	}
	l.land(p)
	return true
}

// crawling is the number of sweeps after which the method has lost its way: with
// Newton steps and a leap a few are enough.
const crawling, crawlingArrow = 100, 3

// crawls tells whether this sweep is the one after which to be rescued.
func (x *dualBCD) crawls(p *Problem) bool {
	x.sweeps++
	if x.sprints(p) {
		return x.sweeps == crawlingArrow
	}
	return x.sweeps == crawling
}

// rescue ends a crawl along the edges of the dual, where Newton steps are
// refused again and again: it lands at the interior point's answer if the stop
// rule holds there, though its dual may lie below the present one by rounding.
func (x *dualBCD) rescue(p *Problem) bool {
	l := &x.leap
	l.pull = resize(l.pull, p.Targets)
	l.interior.limits = longLeap
	l.tried = true
	x.Point(p)
	if !l.solve(p) {
		return false
	}
	v := p.evaluate(l.pull)
	l.landed = p.goal.met(&v)
	return l.landed
}

// sprints tells whether Newton steps are to be given up for a leap unless they
// lead straight to the end: where the leap costs as much as a few of them.
func (x *dualBCD) sprints(p *Problem) bool { return arrow(p) && !x.leap.tried }

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
	v := p.evaluate(l.pull)
	if !(v.dual > before) || math.IsInf(v.dual, 0) {
		return
	}
	l.safeY, l.safeDual = append(l.safeY[:0], p.Y...), append(l.safeDual[:0], p.Dual...)
	if p.goal.met(&v) {
		l.landed = true
		return
	}
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
	if arrow(p) {
		return l.solveWhole(p) // its rows cost little
	}
	l.in = resize(l.in, p.Rows)
	l.activity = resize(l.activity, p.Rows)
	p.activities(l.activity)
	for k := range l.in {
		l.in[k] = p.Kind[k] == lcqp.HardEQ || p.Dual[k] != 0 || l.activity[k] > -0.1
	}
	for range 5 {
		if !l.solvePart(p) {
			return false
		}
		p.activities(l.activity)
		violated := false
		for k := range l.in {
			violated = violated || !l.in[k] && l.activity[k] > leapAccuracy
		}
		if !violated {
			return true
		}
		for k := range l.in {
			l.in[k] = l.in[k] || l.activity[k] > -0.02
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
	q.resizeRows(p.layout)
	q.goal = p.goal
	l.rows = l.rows[:0]
	for f := range len(p.formPtr) - 1 {
		for k := p.formPtr[f]; k < p.formPtr[f+1]; k++ {
			if l.in[k] {
				l.rows = append(l.rows, k)
				q.addRow(p.Kind[k], p.B[k], p.Weight[k], p.Curv[k], p.coef[k])
			}
		}
		q.formPtr = append(q.formPtr, int32(len(q.Kind)))
	}
	q.endRows()
	q.Stats = Stats{}
	if !l.run(q) {
		return false
	}
	p.Stats.Factorizations += q.Stats.Factorizations
	copy(p.Y, q.Y)
	clear(p.Dual)
	for n, k := range l.rows {
		p.Dual[k] = q.Dual[n]
	}
	return true
}

// solveWhole runs the interior point method on p itself.
func (l *leap) solveWhole(p *Problem) bool {
	l.rows = resize(l.rows, p.Rows)
	for k := range l.rows {
		l.rows[k] = int32(k)
	}
	return l.run(p)
}

// run starts in the middle and iterates until the goal is met.
func (l *leap) run(q *Problem) bool {
	driver := q.goal
	defer func() { q.goal = driver }()
	if driver == (goal{}) {
		// A point less accurate would have other active rows, and Newton steps
		// stall again.
		q.goal = goal{relative: leapAccuracy, offset: 1e-3, violation: leapAccuracy, stationarity: 100 * leapAccuracy}
	}
	clear(q.Dual)
	for i := range q.Y {
		q.Y[i] = (q.Lower[i] + q.Upper[i]) / 2
	}
	l.interior.Init(q)
	if l.interior.tooLarge {
		return false
	}
	limit, _ := InteriorPoint{}.Defaults()
	for n := range limit {
		progress := l.interior.Iterate(q)
		if progress == Moving && n < limit-1 {
			continue
		}
		l.interior.Point(q)
		if v := q.evaluate(l.pull); progress == Settled || q.goal.met(&v) {
			break
		}
	}
	return true
}

// adopt takes λ from the interior point. A multiplier smaller than its row's
// distance from being active belongs to an inactive row and becomes zero.
func (x *dualBCD) adopt(p *Problem) {
	l := &x.leap
	r := &l.interior.rows
	for n, q := range r.row {
		if k := l.rows[q]; r.t[n] >= r.mu[n] && p.Kind[k] != lcqp.HardEQ {
			p.Dual[k] = 0
		}
	}
	for k := range x.lambda {
		from, to := p.membersOf(k)
		low, high := x.rows.limits(k)
		x.lambda[k] = min(max(sparse.Dot(p.coef[from:to], p.Dual[from:to]), low), high)
		x.dirty[k] = true
	}
	x.refresh()
}
