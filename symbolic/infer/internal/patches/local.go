package patches

import (
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// localSolver solves local problems, one after the other.
type localSolver struct {
	solver  problem.Solver
	problem problem.Problem
	pull    []float64
	rows    []int32 // of the template, by row of the problem
	targets []int32
	local   []int32 // by target of the template; valid for targets
	list    problem.RowList
	col     []int32
	val     []float64
	stats   problem.Stats
}

// solve maximises the dual over the multipliers of the local problem of subdomain k.
func (w *localSolver) solve(g *Decomposition, k int32) {
	p := &w.problem
	w.build(g, k)
	p.Stats = problem.Stats{}
	w.pull = problem.Resize(w.pull, p.Targets)
	t := &g.task.Tolerance
	p.Goal = problem.Tolerance{Absolute: localShare * g.allowed * float64(p.Rows) / float64(g.rows),
		Violation: localShare * t.Violation, Stationarity: localShare * t.Stationarity}
	done := func(v problem.Point) bool {
		return p.Goal.MetButGap(&v, 1) && v.Gap() <= max(p.Goal.Absolute, p.Rounding(w.pull))
	}
	before := p.Evaluate(w.pull)
	if done(before) {
		return
	}
	w.solver.Init(p)
	v := before
	for n, progress := 0, problem.Moving; n < localIterations && progress != problem.Settled; {
		for c := 0; c < 4 && progress != problem.Settled; c++ {
			progress = w.solver.Iterate(p)
			n++
		}
		w.solver.Point(p)
		if v = p.Evaluate(w.pull); done(v) {
			break
		}
	}
	w.stats.Add(&p.Stats)
	if !(v.Dual >= before.Dual-p.Rounding(w.pull)) {
		w.stats.Rejected++
		return
	}
	w.adopt(g)
}

// build makes the problem of the rows that touch subdomain k, and of all rows of one
// free target at its overlap.
func (w *localSolver) build(g *Decomposition, k int32) {
	in, p := g.in, &w.problem
	inside, overlap := g.parts.inside(k), g.parts.overlap(k)
	w.targets = append(append(w.targets[:0], inside...), overlap...)
	w.local = problem.Resize(w.local, in.Targets)
	p.ResizeTargets(len(w.targets))
	for n, i := range w.targets {
		w.local[i] = int32(n)
		p.Quad[n], _ = g.objective(i)
		p.Lin[n] = g.pull[i]
		p.Lower[n], p.Upper[n], p.Y[n] = in.Lower[i], in.Upper[i], g.y[i]
	}
	w.list.Reset(len(w.targets))
	for _, i := range inside {
		for _, row := range in.RowsOf(i) {
			cols := in.Col[in.Ptr[row]:in.Ptr[row+1]]
			first := slices.IndexFunc(cols, func(t int32) bool { return g.parts.of[t] == k })
			if cols[first] == i { // once for each row
				w.add(g, row)
			}
		}
	}
	for _, i := range overlap {
		for _, row := range in.RowsOf(i) {
			if _, _, free := g.span(row); free == 1 {
				w.add(g, row)
			}
		}
	}
	w.rows = w.list.Fill(p, w.rows)
}

// add adds a row, unless nothing can activate it or it costs nothing, and takes its multiplier out
// of the linear terms.
func (w *localSolver) add(g *Decomposition, row int32) {
	in, p := g.in, &w.problem
	if _, up, _ := g.span(row); up <= problem.NeverActive && in.Kinds[row] != lcqp.HardEQ {
		return
	}
	b, mu := in.B[row], g.dual[row]
	weight, curv := in.RowCost(int(row))
	if in.Kinds[row] > lcqp.HardEQ && curv == 0 {
		return
	}
	w.col, w.val = w.col[:0], w.val[:0]
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		t, a := in.Col[j], in.Val[j]
		if g.fixed(t) {
			b += a * g.y[t]
			continue
		}
		n := w.local[t]
		w.col, w.val = append(w.col, n), append(w.val, a)
		p.Lin[n] -= a * mu
	}
	w.list.Add(in.Kinds[row], b, weight, curv, mu, row, w.col, w.val)
}

// adopt writes the local problem's multipliers and targets back.
func (w *localSolver) adopt(g *Decomposition) {
	p := &w.problem
	for n, row := range w.rows {
		g.dual[row] = p.Dual[n]
	}
	p.Pull(p.Dual, w.pull)
	for n, i := range w.targets {
		g.pull[i], g.y[i] = w.pull[n], p.Y[n]
	}
}
