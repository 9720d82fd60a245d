package infer

import (
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// subsetAccuracy is the gap, relative to 1e-3 + |dual|, at which the interior point
// method ends on a problem whose tolerance is not known, and the violation of
// the rows left out up to which they stay out.
const subsetAccuracy = 1e-10

// subset runs the interior point method on the rows of a problem that are active
// or nearly so, and again with more rows until no other is violated.
type subset struct {
	interior interiorPoint
	part     Problem // the problem with some of its rows
	rows     []int32 // of part in the problem
	in       []bool  // whether a row is in part

	pull, activity []float64
}

// solve leaves the interior point's answer in p. limits are those of its factor. It returns false when its
// systems are too big, or when it runs on rows in vain.
func (l *subset) solve(p *Problem, limits sparse.Limits) bool {
	l.interior.limits = limits
	l.pull = resize(l.pull, p.Targets)
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
			violated = violated || !l.in[k] && l.activity[k] > subsetAccuracy
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
func (l *subset) solvePart(p *Problem) bool {
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
func (l *subset) solveWhole(p *Problem) bool {
	l.rows = resize(l.rows, p.Rows)
	for k := range l.rows {
		l.rows[k] = int32(k)
	}
	return l.run(p)
}

// run starts in the middle and iterates until the tolerance is met.
func (l *subset) run(q *Problem) bool {
	goal := q.goal
	defer func() { q.goal = goal }()
	if goal == (tolerance{}) {
		// A point less accurate would have other active rows, and Newton steps
		// stall again.
		q.goal = tolerance{relative: subsetAccuracy, offset: 1e-3, violation: subsetAccuracy, stationarity: 100 * subsetAccuracy}
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
		if v := q.evaluate(l.pull); progress == Settled || q.goal.met(&v, 0.5) {
			break
		}
	}
	return true
}

// dropIdle sets the multipliers in p to zero that are smaller than their row's
// distance from being active.
func (l *subset) dropIdle(p *Problem) {
	r := &l.interior.rows
	for n, q := range r.row {
		if k := l.rows[q]; r.t[n] >= r.mu[n] && p.Kind[k] != lcqp.HardEQ {
			p.Dual[k] = 0
		}
	}
}
