package ipm

import (
	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// Subset runs the interior point method on the rows of a problem that are active
// or nearly so, and again with more rows until no other is violated.
type Subset struct {
	Interior Interior
	part     problem.Problem // the problem with some of its rows
	rows     []int32         // of part in the problem
	in       []bool          // whether a row is in part

	pull, activity []float64
}

// Solve leaves the interior point's answer in p. limits are those of its factor. It returns false when its
// systems are too big, or when it runs on rows in vain.
func (l *Subset) Solve(p *problem.Problem, limits sparse.Limits) bool {
	l.Interior.Limits = limits
	l.pull = problem.Resize(l.pull, p.Targets)
	if kkt.Arrow(p) {
		return l.solveWhole(p) // its rows cost little
	}
	l.in = problem.Resize(l.in, p.Rows)
	l.activity = problem.Resize(l.activity, p.Rows)
	p.Activities(l.activity)
	for k := range l.in {
		l.in[k] = p.Kind[k] == lcqp.HardEQ || p.Dual[k] != 0 || l.activity[k] > -firstRows
	}
	for range subsetRounds {
		if !l.solvePart(p) {
			return false
		}
		p.Activities(l.activity)
		violated := false
		for k := range l.in {
			violated = violated || !l.in[k] && l.activity[k] > subsetAccuracy
		}
		if !violated {
			return true
		}
		for k := range l.in {
			l.in[k] = l.in[k] || l.activity[k] > -moreRows
		}
	}
	return false
}

// solvePart runs the interior point method on the rows in part and leaves the
// answer, with zero multipliers for the other rows, in p.
func (l *Subset) solvePart(p *problem.Problem) bool {
	q := &l.part
	q.ResizeTargets(p.Targets)
	copy(q.Quad, p.Quad)
	copy(q.Lin, p.Lin)
	copy(q.Lower, p.Lower)
	copy(q.Upper, p.Upper)
	q.ResizeRows(p.Layout)
	q.Goal = p.Goal
	l.rows = l.rows[:0]
	for f := range len(p.SidePtr) - 1 {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if l.in[k] {
				l.rows = append(l.rows, k)
				q.AddRow(p.Kind[k], p.B[k], p.Weight[k], p.Curv[k], p.Coef[k])
			}
		}
		q.SidePtr = append(q.SidePtr, int32(len(q.Kind)))
	}
	q.EndRows()
	q.Stats = problem.Stats{}
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
func (l *Subset) solveWhole(p *problem.Problem) bool {
	l.rows = problem.Resize(l.rows, p.Rows)
	for k := range l.rows {
		l.rows[k] = int32(k)
	}
	return l.run(p)
}

// run starts in the middle and iterates until the tolerance is met.
func (l *Subset) run(q *problem.Problem) bool {
	goal := q.Goal
	defer func() { q.Goal = goal }()
	if goal == (problem.Tolerance{}) {
		// A point less accurate would have other active rows, and Newton steps
		// stall again.
		q.Goal = problem.Tolerance{Relative: subsetAccuracy, Offset: 1e-3, Violation: subsetAccuracy, Stationarity: 100 * subsetAccuracy}
	}
	clear(q.Dual)
	for i := range q.Y {
		q.Y[i] = (q.Lower[i] + q.Upper[i]) / 2
	}
	l.Interior.Init(q)
	if l.Interior.tooLarge {
		return false
	}
	limit, _ := InteriorPoint{}.Defaults()
	for n := range limit {
		progress := l.Interior.Iterate(q)
		if progress == problem.Moving && n < limit-1 {
			continue
		}
		l.Interior.Point(q)
		if v := q.Evaluate(l.pull); progress == problem.Settled || q.Goal.Met(&v, 0.5) {
			break
		}
	}
	return true
}

// DropIdle sets the multipliers in p to zero that are smaller than their row's
// distance from being active.
func (l *Subset) DropIdle(p *problem.Problem) {
	r := &l.Interior.rows
	for n, q := range r.Row {
		if k := l.rows[q]; r.t[n] >= r.Mu[n] && p.Kind[k] != lcqp.HardEQ {
			p.Dual[k] = 0
		}
	}
}
