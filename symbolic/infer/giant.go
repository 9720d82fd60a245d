package infer

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hinge/symbolic/lcqp"
)

// giant solves one large component by block coordinate ascent on the dual with
// large blocks. A block, or patch, is made of the multipliers of all rows that
// touch a cell of some hundred neighbouring targets. With all other multipliers
// held, it is a small problem of the same kind, which a solver for components
// maximises exactly; what the other rows contribute enters the objective of its
// targets as linear terms. So the dual never falls, whatever the cells.
//
// In the first sweep the cells are a partition of the component. What is left
// to do then lies along their borders, and the cells of the next sweep are
// grown around it, so that old borders are well inside new cells. As the effect
// of a change fades with the distance, a few sweeps suffice, and they visit
// ever smaller parts. No step length, no set of active rows and no matrix spans
// the component: work and memory are linear in its size. Where rows reach far,
// so that cells have more border than inside, the method does not apply.
//
// Patches without common targets are independent of each other. They are
// solved in batches by all goroutines; which ones make up a batch depends on
// the component alone, so results do not depend on the number of goroutines.
type giant struct {
	in       *lcqp.Instance
	comp     *lcqp.Component
	dual, y  []float64 // of the template; the caller's storage
	pull     []float64 // Lin + Aᵀμ by target
	settings *Settings
	deadline time.Time
	allowed  float64 // gap
	rows     int     // of the component

	cells   cells
	workers []*patchWorker
	stats   Stats
	dirty   []int32 // targets of rows that are off, in the order of the rows
	isDirty []bool
	merits  []float64 // after each sweep
}

const (
	// giantTargets is the size from which a component is solved by patches.
	giantTargets = 8000
	// longestRow is the longest row with which a component is taken for local.
	longestRow = 256
	// lightSweeps is the largest number of sweeps over few cells after which only
	// these are looked at, not the whole component.
	lightSweeps = 4
)

// use tells whether the component is worth a try: large, and solved by the
// method that patches speed up.
func (g *giant) use(s *Settings, comp *lcqp.Component) bool {
	m, ok := s.Method.(DualBCD)
	return ok && m == DualBCD{} && !s.NoPresolve && len(comp.Targets) >= giantTargets
}

// run improves res.Dual and res.Y until the stop rule holds or time is up. It
// returns false where patches do not apply or converge slowly; if it has left
// multipliers in res.Dual then, they are a good start for another method.
func (g *giant) run(in *lcqp.Instance, comp *lcqp.Component, warm *Warm, s *Settings, deadline time.Time,
	record func(point, Stats), res *Result) (v point, status Status, left bool) {
	g.in, g.comp, g.settings, g.deadline = in, comp, s, deadline
	g.dual, g.y, g.rows = res.Dual, res.Y, len(comp.Rows)
	g.stats = Stats{RowsLeft: len(comp.Rows), TargetsLeft: len(comp.Targets)}
	if !g.local() || !g.start(warm) {
		return v, NotRun, false
	}
	v = g.check()
	g.merits = append(g.merits[:0], g.merit(v))
	for {
		record(v, g.stats)
		switch {
		case g.merit(v) <= 1:
			return v, Solved, true
		case !deadline.IsZero() && time.Now().After(deadline):
			return v, TimeLimit, true
		case g.stats.Iterations >= s.MaxIterations:
			return v, IterationLimit, true
		case g.slow():
			return v, NotRun, true
		}
		for n := 0; ; n++ {
			if g.stats.Iterations > 0 {
				g.cells.grow(g)
			}
			g.sweep()
			g.stats.Iterations++
			if n == lightSweeps || g.stats.Iterations >= s.MaxIterations || !g.checkCells() {
				break
			}
		}
		v = g.check()
		g.merits = append(g.merits, g.merit(v))
	}
}

// globals remembers the components of a template that are not local, with the
// targets that were fixed then: to find that out takes as long as a sweep.
type globals struct {
	mu    sync.Mutex
	known map[int][][]bool // by first target
}

type globalsKey struct{}

// local makes the cells, and returns false when they have too much border.
func (g *giant) local() bool {
	first := int(g.comp.Targets[0])
	all := g.in.Derived(globalsKey{}, func() any { return &globals{known: make(map[int][][]bool)} }).(*globals)
	fixed := make([]bool, len(g.comp.Targets))
	for n, i := range g.comp.Targets {
		fixed[n] = g.fixed(i)
	}
	same := func(known []bool) bool { return slices.Equal(known, fixed) }
	all.mu.Lock()
	known := slices.ContainsFunc(all.known[first], same)
	all.mu.Unlock()
	if known {
		return false
	}
	if g.cells.partition(g) {
		return true
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if list := all.known[first]; !slices.ContainsFunc(list, same) {
		all.known[first] = append(list[max(0, len(list)-remembered+1):], fixed)
	}
	return false
}

// merit is how many times too large the worst of what the stop rule looks at is.
func (g *giant) merit(v point) float64 {
	s := g.settings
	return worst(worst(v.violation/s.FeasibilityTolerance, v.stationarity/s.StationarityTolerance),
		worst(math.Abs(v.primal-v.dual), v.product)/g.allowed)
}

// slow tells whether sweeps are not worth their price: many more were needed at
// the rate of the last ones while they still visit much of the component, or the
// last of them have led nowhere.
func (g *giant) slow() bool {
	const window, most, patience = 2, 15, 8
	n := len(g.merits) - 1
	now := g.merits[n]
	if math.IsNaN(now) {
		return true
	}
	if wide := 20*len(g.dirty) > len(g.comp.Targets); wide && n > window {
		rate := math.Log(g.merits[n-window]/now) / window
		return !(math.Log(now) <= most*rate)
	}
	return n > patience && now > g.merits[n-patience]/2
}

// fixed tells whether target i has a fixed value.
func (g *giant) fixed(i int32) bool { return g.in.Lower[i] >= g.in.Upper[i] }

// objective returns the coefficients of quad·y² + lin·y of target i.
func (g *giant) objective(i int32) (quad, lin float64) {
	rho := g.in.Prox[i]
	return g.in.Epsilon + rho, -2 * rho * g.in.Center[i]
}

// cost returns the coefficients of weight·s + curv·s² of a row.
func (g *giant) cost(row int32) (weight, curv float64) {
	in := g.in
	switch in.Kinds[row] {
	case lcqp.Square:
		return 0, in.Weights[in.RuleOf[row]] + in.Epsilon
	case lcqp.Linear:
		return in.Weights[in.RuleOf[row]], in.Epsilon
	}
	return 0, 0
}

// start takes over the warm state, gives rows that are constant or never
// active their multipliers, and sets y to the minimiser for the multipliers. It
// returns false when a row is too long for patches or violated in any case.
func (g *giant) start(warm *Warm) bool {
	in := g.in
	g.pull = resize(g.pull, in.Targets)
	g.isDirty = resize(g.isDirty, in.Targets)
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
		if warm != nil && len(warm.Dual) > 0 {
			mu = warm.Dual[row]
			if kind != lcqp.HardEQ {
				mu = max(mu, 0)
			}
		}
		low, up, free := g.span(row)
		switch {
		case kind <= lcqp.HardEQ && (low > neverActive || kind == lcqp.HardEQ && up < -neverActive):
			return false
		case free == 0 && kind <= lcqp.HardEQ:
			mu = 0
		case free == 0:
			weight, curv := g.cost(row)
			if mu = 0; up > 0 {
				mu = weight + 2*curv*up
			}
		case kind != lcqp.HardEQ && up <= neverActive:
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
func (g *giant) span(row int32) (low, up float64, free int) {
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

// sweep solves the patches of all cells, batch by batch.
func (g *giant) sweep() {
	n := g.settings.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	for len(g.workers) < n {
		g.workers = append(g.workers, newPatchWorker())
	}
	for _, batch := range g.cells.batches(g) {
		var next atomic.Int64
		work := func(w *patchWorker) {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(batch) || !g.deadline.IsZero() && time.Now().After(g.deadline) {
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
		g.stats.add(&w.stats)
		w.stats = Stats{}
	}
}

// finish writes what follows from y and the multipliers and returns the raw
// energy.
func (g *giant) finish(sol *lcqp.Solution) (energy float64) {
	in := g.in
	for _, row := range g.comp.Rows {
		k := int(row) - in.Constraints
		if k < 0 {
			continue
		}
		slack := max(g.activity(row), 0)
		sol.Slack[k], sol.SlackDual[k] = slack, 0
		w := in.Weights[in.RuleOf[row]]
		if in.Kinds[row] == lcqp.Square {
			energy += w * slack * slack
		} else {
			energy += w * slack
			sol.SlackDual[k] = max(w+2*in.Epsilon*slack-g.dual[row], 0)
		}
	}
	for _, i := range g.comp.Targets {
		quad, _ := g.objective(i)
		pull := 2*quad*g.y[i] + g.pull[i]
		sol.LowerDual[i], sol.UpperDual[i] = max(pull, 0), max(-pull, 0)
	}
	return energy
}

// patches solves component c by patches if that is possible. Else it returns the
// best start for the method itself, and whether patches have turned out slow.
func (w *worker) patches(in *lcqp.Instance, warm *Warm, s *Settings, deadline time.Time,
	c, instance int, res *Result) (better *Warm, slow, done bool) {
	comp, out, g := &in.Components[c], &res.Components[c], &w.giant
	if !g.use(s, comp) {
		return warm, false, false
	}
	defer g.release()
	record := func(v point, stats Stats) {
		if s.Recorder != nil {
			s.Recorder.Record(Record{Instance: instance, Component: c, Iteration: stats.Iterations,
				Primal: v.primal, Dual: v.dual, Violation: v.violation, Stats: stats})
		}
	}
	v, status, moved := g.run(in, comp, warm, s, deadline, record, res)
	if status == NotRun {
		if moved {
			return &Warm{Dual: res.Dual}, true, false
		}
		return warm, false, false
	}
	if status != Solved && v.violation <= 1e-6 && v.stationarity <= 1e-6 &&
		math.Abs(v.primal-v.dual) <= 1e-6*(1+math.Abs(v.dual)) {
		status = AlmostSolved
	}
	out.Status, out.Stats = status, g.stats
	out.Primal, out.Dual, out.Violation = v.primal, v.dual, v.violation
	out.Energy = g.finish(&res.Solution)
	return warm, false, true
}

// release lets go of the caller's data.
func (g *giant) release() { g.in, g.comp, g.settings, g.dual, g.y = nil, nil, nil, nil, nil }
