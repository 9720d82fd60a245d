package patches

import (
	"cmp"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Decomposition solves one large component by block coordinate ascent on the dual with large
// blocks. A block consists of the multipliers of all rows that touch a subdomain of some
// hundred neighbouring targets. With all other multipliers held, it is a small problem of the
// same kind, which a solver for components maximises exactly; the other rows enter the
// objective of the block's targets as linear terms. So the dual never falls, whatever the
// subdomains.
//
// In the first sweep the subdomains are a partition of the component. The remaining error lies
// along their borders. The subdomains of the next sweep are grown around it, so that old
// borders are well inside new subdomains, and overlap. As the effect of a change fades with
// the distance, a few sweeps suffice, and they visit ever smaller parts. No step length, no
// set of active rows and no matrix spans the component. If rows reach so far that subdomains
// would overlap more than they hold, the method does not apply.
//
// Local problems without common targets are independent of each other. They are solved by all
// goroutines in batches, which depend on the component alone.
type Decomposition struct {
	in      *lcqp.Instance
	comp    *lcqp.Component
	task    *problem.Whole
	dual, y []float64 // of the template; the caller's storage
	pull    []float64 // Lin + Aᵀμ by target
	allowed float64   // gap
	rows    int       // of the component

	parts     subdomains
	workers   []*localSolver
	Stats     problem.Stats
	NewSolver func() problem.Solver // of local problems
	dirty     []int32               // targets of rows that are off, in the order of the rows
	isDirty   []bool
	merits    []float64 // after each sweep
}

var _ problem.Decomposer = (*Decomposition)(nil)

// Decompose runs on a component and completes its solution.
func (g *Decomposition) Decompose(w *problem.Whole, _ *problem.Problem) (r problem.Parts) {
	defer func() { g.in, g.comp, g.task, g.dual, g.y = nil, nil, nil, nil, nil }() // the caller's data
	if r.Point, r.End = g.run(w); r.End >= problem.Converged {
		r.Energy, r.Stats = g.finish(w.Solution), g.Stats
	}
	return r
}

// run improves the solution's dual and y until the stop rule holds or time is up, or finds that
// local problems do not apply or converge slowly. It starts from the multipliers in t.Warm,
// if there are any.
func (g *Decomposition) run(t *problem.Whole) (v problem.Point, end problem.End) {
	comp, warm := t.Component, t.Warm
	g.in, g.comp, g.task = t.Instance, comp, t
	g.dual, g.y, g.rows = t.Solution.Dual, t.Solution.Y, len(comp.Rows)
	g.Stats = problem.Stats{RowsLeft: len(comp.Rows), TargetsLeft: len(comp.Targets)}
	if len(warm) == 0 && !g.parts.partition(g) || !g.start(warm) {
		return v, problem.NotLocal
	}
	v = g.check()
	// If the point is wrong in a few places only, the first sweep needs no partition.
	near := len(warm) > 0 && 20*len(g.dirty) < len(comp.Targets)
	if len(warm) > 0 && !near && !g.parts.partition(g) {
		return v, problem.NotLocal
	}
	g.merits = append(g.merits[:0], t.Tolerance.Excess(&v))
	for {
		if t.Record != nil {
			t.Record(&v, &g.Stats)
		}
		switch {
		case t.Tolerance.Met(&v, 1):
			return v, problem.Converged
		case g.late():
			return v, problem.OutOfTime
		case g.Stats.Iterations >= t.MaxIterations:
			return v, problem.OutOfIterations
		case g.slow():
			return v, problem.Slow
		}
		for n := 0; ; n++ {
			if near || g.Stats.Iterations > 0 {
				g.parts.grow(g)
			}
			g.sweep()
			g.Stats.Iterations++
			if n == lightSweeps || g.Stats.Iterations >= t.MaxIterations || g.late() || !g.checkParts() {
				break
			}
		}
		v = g.check()
		g.merits = append(g.merits, t.Tolerance.Excess(&v))
	}
}

func (g *Decomposition) late() bool {
	return g.task.Deadline.Passed()
}

// slow reports whether further sweeps would cost too much: at the rate of the last ones many
// more are needed while they still visit much of the component, or the last ones have made no
// progress.
func (g *Decomposition) slow() bool {
	n := len(g.merits) - 1
	now := g.merits[n]
	if math.IsNaN(now) {
		return true
	}
	if wide := 20*len(g.dirty) > len(g.comp.Targets); wide && n > rateWindow {
		rate := math.Log(g.merits[n-rateWindow]/now) / rateWindow
		return !(math.Log(now) <= mostSweeps*rate)
	}
	return n > patience && now > g.merits[n-patience]/2
}

// fixed reports whether target i has a fixed value.
func (g *Decomposition) fixed(i int32) bool { return g.in.Lower[i] >= g.in.Upper[i] }

// objective returns the coefficients of quad·y² + lin·y of target i.
func (g *Decomposition) objective(i int32) (quad, lin float64) {
	rho := g.in.Prox[i]
	return g.in.Epsilon + rho, -2 * rho * g.in.Center[i]
}

// start takes over the warm state, gives rows that are constant or never
// active their multipliers, and sets y to the minimiser for the multipliers. It
// returns false when a row is too long for local problems or violated in any case.
func (g *Decomposition) start(warm []float64) bool {
	in := g.in
	g.pull = problem.Resize(g.pull, in.Targets)
	g.isDirty = problem.Resize(g.isDirty, in.Targets)
	g.dirty = g.dirty[:0]
	for _, i := range g.comp.Targets {
		g.isDirty[i] = false
	}
	for _, row := range g.comp.Rows {
		from, to := in.Ptr[row], in.Ptr[row+1]
		if to-from > longestRow {
			return false
		}
		kind, mu := in.Kinds[row], 0.0
		if len(warm) > 0 {
			mu = warm[row]
			if kind != lcqp.HardEQ {
				mu = max(mu, 0)
			}
		}
		low, up, free := g.span(row)
		weight, curv := in.RowCost(int(row))
		switch {
		case kind <= lcqp.HardEQ && (low > problem.NeverActive || kind == lcqp.HardEQ && up < -problem.NeverActive):
			return false
		case free == 0 && kind <= lcqp.HardEQ:
			mu = 0
		case free == 0:
			if mu = 0; up > 0 {
				mu = weight + 2*curv*up
			}
		case kind != lcqp.HardEQ && up <= problem.NeverActive, kind > lcqp.HardEQ && curv == 0:
			mu = 0
		}
		g.dual[row] = mu
	}
	g.gather()
	for _, i := range g.comp.Targets {
		quad, _ := g.objective(i)
		g.y[i] = min(max(-g.pull[i]/(2*quad), in.Lower[i]), in.Upper[i])
	}
	return true
}

// span returns the range of a·y + b over the box and the number of free
// targets.
func (g *Decomposition) span(row int32) (low, up float64, free int) {
	in := g.in
	low = in.B[row]
	up = low
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		t, a := in.Col[j], in.Val[j]
		l, u := in.Lower[t], in.Upper[t]
		if l < u {
			free++
		}
		if a < 0 {
			l, u = u, l
		}
		low += a * l
		up += a * u
	}
	return low, up, free
}

// sweep solves the local problem's of all subdomains, batch by batch.
func (g *Decomposition) sweep() {
	n := cmp.Or(g.task.Workers, runtime.GOMAXPROCS(0))
	for len(g.workers) < n {
		g.workers = append(g.workers, &localSolver{solver: g.NewSolver()})
	}
	for _, batch := range g.parts.batches(g) {
		var next atomic.Int64
		work := func(w *localSolver) {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(batch) || g.late() {
					return
				}
				w.solve(g, batch[at])
			}
		}
		var wg sync.WaitGroup
		for _, w := range g.workers[1:n] {
			wg.Go(func() { work(w) })
		}
		work(g.workers[0])
		wg.Wait()
	}
	for _, w := range g.workers {
		g.Stats.Add(&w.stats)
		w.stats = problem.Stats{}
	}
}

// finish writes what follows from y and the multipliers and returns the raw
// energy.
func (g *Decomposition) finish(sol *lcqp.Solution) (energy float64) {
	in := g.in
	for _, row := range g.comp.Rows {
		k := int(row) - in.Constraints
		if k < 0 {
			continue
		}
		slack := max(g.activity(row), 0)
		sol.Slack[k], sol.SlackDual[k] = slack, 0
		if in.Kinds[row] == lcqp.Square {
			energy += in.Weights[in.RuleOf[row]] * slack * slack
		} else {
			weight, curv := in.RowCost(int(row))
			energy += weight * slack
			sol.SlackDual[k] = max(weight+2*curv*slack-g.dual[row], 0)
		}
	}
	for _, i := range g.comp.Targets {
		quad, _ := g.objective(i)
		pull := 2*quad*g.y[i] + g.pull[i]
		sol.LowerDual[i], sol.UpperDual[i] = max(pull, 0), max(-pull, 0)
	}
	return energy
}
