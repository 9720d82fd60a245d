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
	in      *lcqp.Instance
	comp    *lcqp.Component
	task    *task
	dual, y []float64 // of the template; the caller's storage
	pull    []float64 // Lin + Aᵀμ by target
	allowed float64   // gap
	rows    int       // of the component

	cells   cells
	workers []*patchWorker
	stats   Stats
	dirty   []int32 // targets of rows that are off, in the order of the rows
	isDirty []bool
	merits  []float64 // after each sweep
}

// task says how to solve a component.
type task struct {
	tolerance              tolerance
	maxIterations, workers int
	deadline               time.Time // zero means none
	newSolver              func() Solver
	record                 func(*point, *Stats) // is told of each test of the stop rule
}

// ending tells how a run has ended.
type ending uint8

const (
	notLocal ending = iota // nothing was done
	slowly                 // the multipliers are a good start for another method
	converged
	outOfTime
	outOfIterations
)

const (
	// longestRow is the longest row with which a component is taken for local.
	longestRow = 256
	// lightSweeps is the largest number of sweeps over few cells after which only
	// these are looked at, not the whole component.
	lightSweeps = 4
)

// run improves dual and y until the stop rule holds or time is up, or finds that
// patches do not apply or converge slowly. It starts from the multipliers in warm,
// if there are any.
func (g *giant) run(in *lcqp.Instance, comp *lcqp.Component, warm []float64, t *task, dual, y []float64) (v point, end ending) {
	g.in, g.comp, g.task = in, comp, t
	g.dual, g.y, g.rows = dual, y, len(comp.Rows)
	g.stats = Stats{RowsLeft: len(comp.Rows), TargetsLeft: len(comp.Targets)}
	if !g.local() || !g.start(warm) {
		return v, notLocal
	}
	v = g.check()
	g.merits = append(g.merits[:0], t.tolerance.excess(&v))
	for {
		t.record(&v, &g.stats)
		switch {
		case t.tolerance.met(&v, 1):
			return v, converged
		case g.late():
			return v, outOfTime
		case g.stats.Iterations >= t.maxIterations:
			return v, outOfIterations
		case g.slow():
			return v, slowly
		}
		for n := 0; ; n++ {
			if g.stats.Iterations > 0 {
				g.cells.grow(g)
			}
			g.sweep()
			g.stats.Iterations++
			if n == lightSweeps || g.stats.Iterations >= t.maxIterations || !g.checkCells() {
				break
			}
		}
		v = g.check()
		g.merits = append(g.merits, t.tolerance.excess(&v))
	}
}

func (g *giant) late() bool { return !g.task.deadline.IsZero() && time.Now().After(g.task.deadline) }

// globals remembers the components of a template that are not local, with the
// targets that were fixed then: to find that out takes as long as a sweep.
type globals struct {
	mu    sync.Mutex
	known map[int][][]bool // by first target
}

type globalsKey struct{}

// globalsKept bounds the sets of fixed targets remembered of a component.
const globalsKept = 4

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
		all.known[first] = append(list[max(0, len(list)-globalsKept+1):], fixed)
	}
	return false
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

// start takes over the warm state, gives rows that are constant or never
// active their multipliers, and sets y to the minimiser for the multipliers. It
// returns false when a row is too long for patches or violated in any case.
func (g *giant) start(warm []float64) bool {
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
		if len(warm) > 0 {
			mu = warm[row]
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
			weight, curv := rowCost(in, row)
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
	n := g.task.workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	for len(g.workers) < n {
		g.workers = append(g.workers, &patchWorker{solver: g.task.newSolver()})
	}
	for _, batch := range g.cells.batches(g) {
		var next atomic.Int64
		work := func(w *patchWorker) {
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

// release lets go of the caller's data.
func (g *giant) release() { g.in, g.comp, g.task, g.dual, g.y = nil, nil, nil, nil, nil }
