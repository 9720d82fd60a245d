package infer

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// worker is the state of one goroutine of the driver. Workers are pooled, so
// their storage is reused from solve to solve.
type worker struct {
	method   Method
	solver   Solver
	active   problem.ActiveSetSolver // the solver, nil if it is none
	parts    problem.Decomposer      // likewise
	whole    problem.Whole           // what it was given last
	presolve problem.Presolve
	problem  Problem
	pull     []float64
	last     []float64 // duals at the previous check, for certificates
	// A point to go back to: the last finite one or, where time is limited, the last feasible
	// one; then the one before a polish.
	keptY, keptDual []float64
	feasible        bool // the one kept is
	deadline        problem.Deadline
	late            func() bool // deadline.Passed, made once
}

// use makes the worker's solver one of the method's.
func (w *worker) use(m Method) {
	if w.solver == nil || w.method != m {
		w.method, w.solver = m, m.NewSolver()
		w.active, _ = w.solver.(problem.ActiveSetSolver)
		w.parts, _ = w.solver.(problem.Decomposer)
	}
}

// component solves component c of an instance and writes its part of res.
func (w *worker) component(in *lcqp.Instance, warm *Warm, s *Settings, deadline problem.Deadline,
	c, instance int, level problem.Reduction, res *Result) (certificate *Certificate) {
	out := &res.Components[c]
	*out = ComponentResult{}
	pre, p := &w.presolve, &w.problem
	p.Choice, p.Late = Choice{}, nil
	if w.deadline = deadline; !deadline.Open() {
		if w.late == nil {
			w.late = w.deadline.Passed
		}
		p.Late = w.late
	}
	defer func() { out.Choice = p.Choice }()
	e := &evaluation{settings: s, instance: instance, component: c}
	warm, done := w.decompose(in, c, warm, e, deadline, false, res)
	if done {
		return nil
	}
	pre.Tol = max(s.FeasibilityTolerance, problem.NeverActive)
	if level == problem.ReduceMerged && s.NoPresolve {
		level = problem.ReduceFixed
	}
	p.Workers = cmp.Or(s.Workers, runtime.GOMAXPROCS(0))
	if !pre.Run(in, c, level, p) {
		return w.infeasible(in, c, res)
	}
	p.Stats.RowsLeft, p.Stats.TargetsLeft = p.Rows, p.Targets
	start := func(w *Warm) {
		if w == nil {
			w = &Warm{}
		}
		pre.Start(p, w.Dual, w.Y)
		if p.Rows == 0 { // each target stands alone: no method has to look for what is known
			for i, q := range p.Quad {
				p.Y[i] = min(max(-p.Lin[i]/(2*q), p.Lower[i]), p.Upper[i])
			}
		}
	}
	start(warm)
	p.Goal = s.tolerance(in.Epsilon, pre.Primal)
	w.pull = problem.Resize(w.pull, p.Targets)
	var v problem.Point
	known := w.active != nil && warm != nil && len(warm.Dual) > 0 && len(warm.Y) > 0
	known = known && w.active.WorthResuming(p)
	switch {
	case p.Targets == 0:
		out.Status = Solved
	case known && w.follow(p, e, &v):
		out.Status = Solved
	default:
		if known && w.parts != nil && w.active.RestoreBest(p) {
			pre.Finish(p, &res.Solution)
			warm, p.Near = &Warm{Dual: res.Dual}, true
		}
		if warm, done = w.decompose(in, c, warm, e, deadline, true, res); done {
			return nil
		}
		if warm != nil && w.active != nil && w.active.PreferColdStart(p) {
			warm = nil
		}
		start(warm)
		if out.Status = w.iterate(p, e, deadline, &v); out.Status == Infeasible {
			if pre.Merged() {
				// The proof has to name the rows that merged targets.
				return w.component(in, warm, s, deadline, c, instance, problem.ReduceChains, res)
			}
			return w.infeasible(in, c, res)
		}
	}
	energy, constant := pre.Finish(p, &res.Solution)
	if off := pre.RecoveryError(&res.Solution); out.Status.OK() && off > s.StationarityTolerance {
		out.Status = AlmostSolved
		if off > 1e-6 {
			out.Status = NoProgress
		}
	}
	out.Energy = energy
	out.Primal, out.Dual, out.Violation = v.Primal+constant, v.Dual+constant, v.Violation
	out.Stats = p.Stats
	return nil
}

// decompose lets the solver take component c apart, before presolve and after it. It reports
// whether that has written the component's part of res, and else returns the start to go on from.
func (w *worker) decompose(in *lcqp.Instance, c int, warm *Warm, e *evaluation, deadline problem.Deadline,
	presolved bool, res *Result) (start *Warm, done bool) {
	if w.parts == nil {
		return warm, false
	}
	s, out := e.settings, &res.Components[c]
	w.whole = problem.Whole{Instance: in, Component: &in.Components[c], Solution: &res.Solution, Presolved: presolved,
		AsIs: s.NoPresolve, Tolerance: s.tolerance(in.Epsilon, 0), MaxIterations: s.MaxIterations, Workers: s.Workers,
		Deadline: deadline}
	if warm != nil {
		w.whole.Warm = warm.Dual
	}
	if s.Recorder != nil {
		e := *e
		w.whole.Record = func(v *problem.Point, stats *Stats) { e.record(v, stats, 0) }
	}
	r := w.parts.Decompose(&w.whole, &w.problem)
	switch r.End {
	case problem.NotLocal:
		return warm, false
	case problem.Slow:
		return &Warm{Dual: res.Dual}, false
	case problem.Converged:
		out.Status = Solved
	case problem.OutOfTime:
		out.Status = TimeLimit
	case problem.OutOfIterations:
		out.Status = IterationLimit
	}
	if r.End != problem.Converged && problem.Almost(0).Met(&r.Point, 1) {
		out.Status = AlmostSolved
	}
	out.Primal, out.Dual, out.Violation = r.Point.Primal, r.Point.Dual, r.Point.Violation
	out.Stats, out.Energy = r.Stats, r.Energy
	return warm, true
}

// follow tries to reach the optimum from the warm start in p by the active rows and bounds that it
// has, and reports whether the stop rule holds there.
func (w *worker) follow(p *Problem, e *evaluation, v *problem.Point) bool {
	if w.active.TrySameActiveSet(p) {
		return e.test(p, w.pull, v, false)
	}
	return e.test(p, w.pull, v, false) || w.active.TrackActiveSet(p) && e.test(p, w.pull, v, false)
}

// polish replaces the point in p by the one at which the same rows and bounds are
// active, if there is one that the stop rule accepts. It is more exact, and the next
// warm start can use it.
func (w *worker) polish(p *Problem, e *evaluation, v *problem.Point, solved bool) bool {
	if w.active == nil {
		return false
	}
	w.keep(p)
	before := *v
	if !w.active.Polish(p, solved) {
		return false
	}
	if !e.test(p, w.pull, v, !solved) {
		w.restore(p, v)
		*v = before
		return false
	}
	return true
}

// iterate runs the method from p until the stop rule holds or the method ends. This
// is the loop that decides when to stop.
func (w *worker) iterate(p *Problem, e *evaluation, deadline problem.Deadline, v *problem.Point) Status {
	s := e.settings
	w.solver.Init(p)
	w.last, w.feasible = w.last[:0], false
	w.keep(p)
	hard := slices.ContainsFunc(p.Kind, func(k lcqp.Kind) bool { return k <= lcqp.HardEQ })
	if hard { // else every point is feasible
		w.last = append(w.last, p.Dual...)
	}
	violation := 0.0 // at the last test: one that shrinks will vanish
	for progress := Moving; ; {
		w.solver.Point(p)
		if e.test(p, w.pull, v, progress == Settled) {
			w.polish(p, e, v, true)
			return Solved
		}
		if !v.Finite() { // a factor has broken down, and what follows would be no better
			w.restore(p, v)
			progress = Settled
		}
		if v.Violation > s.FeasibilityTolerance && (v.Violation > violation/2 || progress == Settled) && w.farkas(p) {
			return Infeasible
		}
		violation = v.Violation
		if progress == problem.Stopped && v.Violation <= s.FeasibilityTolerance {
			return OwnRule
		}
		if feasible := v.Violation <= s.FeasibilityTolerance; feasible || !w.feasible || deadline.Open() {
			w.keep(p)
			w.feasible = feasible
		}
		stop := NotRun
		switch {
		case progress == Settled:
			stop = NoProgress
		case progress == Refused && !deadline.Passed():
			stop = TooLarge
		case p.Stats.Iterations >= s.MaxIterations:
			stop = IterationLimit
		case deadline.Passed():
			if stop = TimeLimit; w.feasible && v.Violation > s.FeasibilityTolerance {
				w.restore(p, v)
			}
		}
		if stop != NotRun {
			if stop != TooLarge && stop != TimeLimit && w.polish(p, e, v, false) {
				return Solved
			}
			if problem.Almost(p.Goal.Constant).Met(v, 1) {
				stop = AlmostSolved
			}
			return stop
		}
		progress = Moving
		for n := 0; progress == Moving && n < s.CheckEvery && p.Stats.Iterations < s.MaxIterations; n++ {
			progress = w.solver.Iterate(p)
			p.Stats.Iterations++
			if deadline.Passed() {
				break
			}
		}
	}
}

func (w *worker) keep(p *Problem) {
	w.keptY, w.keptDual = append(w.keptY[:0], p.Y...), append(w.keptDual[:0], p.Dual...)
}

// restore goes back to the point that was kept.
func (w *worker) restore(p *Problem, v *problem.Point) {
	copy(p.Y, w.keptY)
	copy(p.Dual, w.keptDual)
	*v = p.Evaluate(w.pull)
}

// farkas tests whether the hard part of the duals, or of their change since the
// last check, proves the problem infeasible: when there is no feasible point
// the dual is unbounded, and both tend to the direction in which it grows.
func (w *worker) farkas(p *Problem) bool {
	for k, mu := range p.Dual {
		w.last[k] = mu - w.last[k]
	}
	found := w.presolve.Proves(p, w.last, w.pull) || w.presolve.Proves(p, p.Dual, w.pull)
	copy(w.last, p.Dual)
	return found
}

// infeasible writes a harmless point for a component without feasible points.
func (w *worker) infeasible(in *lcqp.Instance, c int, res *Result) *Certificate {
	out := &res.Components[c]
	out.Status = Infeasible
	out.Primal, out.Dual, out.Violation = math.Inf(1), math.Inf(1), math.Inf(1)
	out.Stats = w.problem.Stats
	for _, t := range in.Components[c].Targets {
		res.Y[t], res.LowerDual[t], res.UpperDual[t] = in.Lower[t], 0, 0
	}
	for _, row := range in.Components[c].Rows {
		res.Dual[row] = 0
		if k := int(row) - in.Constraints; k >= 0 {
			res.Slack[k], res.SlackDual[k] = 0, 0
		}
	}
	return w.presolve.Certificate()
}

// evaluation applies the stop rule to one component and tells the recorder.
type evaluation struct {
	settings            *Settings
	instance, component int
}

// test evaluates the point of p and reports whether the stop rule holds. pull is
// scratch; settled reports whether the method sees nothing left to improve.
func (e *evaluation) test(p *Problem, pull []float64, v *problem.Point, settled bool) bool {
	*v = p.Evaluate(pull)
	p.Stats.Checks++
	goal := &p.Goal
	e.record(v, &p.Stats, goal.Constant)
	return goal.Met(v, 1) || settled && goal.MetButGap(v, 1) && v.Gap() <= min(p.Rounding(pull), 1e-7)
}

// record tells the recorder of a point.
func (e *evaluation) record(v *problem.Point, stats *Stats, constant float64) {
	if r := e.settings.Recorder; r != nil {
		r(Record{Instance: e.instance, Component: e.component, Iteration: stats.Iterations,
			Primal: v.Primal + constant, Dual: v.Dual + constant, Violation: v.Violation, Stats: *stats})
	}
}
