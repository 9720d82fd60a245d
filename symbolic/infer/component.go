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
	apart    *auto                   // likewise: it can take large components apart
	forms    bool                    // the solver needs no A by row and column
	presolve problem.Presolve
	problem  Problem
	pull     []float64
	last     []float64 // duals at the previous check, for certificates
	// The last feasible point, empty if there is none yet; then the one before a polish.
	keptY, keptDual []float64
}

// use makes the worker's solver one of the method's.
func (w *worker) use(m Method) {
	if w.solver == nil || w.method != m {
		w.method, w.solver = m, m.NewSolver()
		w.active, _ = w.solver.(problem.ActiveSetSolver)
		w.apart, _ = w.solver.(*auto)
		w.forms = m.Capabilities().WorksOnForms
	}
}

// component solves component c of an instance and writes its part of res.
func (w *worker) component(in *lcqp.Instance, warm *Warm, s *Settings, deadline problem.Deadline,
	c, instance int, level problem.Reduction, res *Result) (certificate *Certificate) {
	out := &res.Components[c]
	*out = ComponentResult{}
	if w.apart != nil {
		defer func() { out.Choice = w.apart.choice }()
	}
	decomposed := func(p *Problem) (done bool) {
		if w.apart != nil {
			warm, done = w.apart.decompose(in, p, warm, s, deadline, c, instance, res)
		}
		return done
	}
	if decomposed(nil) {
		return nil
	}
	pre, p := &w.presolve, &w.problem
	pre.Tol = max(s.FeasibilityTolerance, problem.NeverActive)
	if level == problem.ReduceMerged && s.NoPresolve {
		level = problem.ReduceFixed
	}
	p.Workers = cmp.Or(s.Workers, runtime.GOMAXPROCS(0))
	if !pre.Run(in, c, level, p) {
		return w.infeasible(in, c, res)
	}
	if !w.forms {
		p.Expand()
	}
	p.Stats.RowsLeft, p.Stats.TargetsLeft = p.Rows, p.Targets
	start := func(w *Warm) {
		if w == nil {
			w = &Warm{}
		}
		pre.Start(p, w.Dual, w.Y)
	}
	start(warm)
	p.Goal = s.tolerance(in.Epsilon, pre.Primal)
	w.pull = problem.Resize(w.pull, p.Targets)
	var v problem.Point
	e := &evaluation{settings: s, instance: instance, component: c}
	known := w.active != nil && warm != nil && len(warm.Dual) > 0 && len(warm.Y) > 0
	if known && !w.active.WorthResuming(p) {
		known, warm = false, nil
	}
	switch {
	case p.Targets == 0:
		out.Status = Solved
	case known && w.again(p, e, &v):
		if out.Status = Solved; w.apart != nil {
			w.apart.choice = Choice{Approach: ByFollowing}
		}
	default:
		if known && w.apart != nil && w.active.RestoreBest(p) {
			pre.Finish(p, &res.Solution)
			warm, p.Near = &Warm{Dual: res.Dual}, true
		}
		if decomposed(p) {
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

// again tries to go on from the warm start in p, with the active rows and bounds
// that it has.
func (w *worker) again(p *Problem, e *evaluation, v *problem.Point) bool {
	if w.active.TrySameActiveSet(p) {
		return e.test(p, w.pull, v, false)
	}
	return e.test(p, w.pull, v, false) || w.active.TrackActiveSet(p) && e.test(p, w.pull, v, false)
}

// polish replaces the point in p by the one at which the same rows and bounds are
// active, if there is one that the stop rule accepts. It is more exact, and the next
// warm start can use it.
func (w *worker) polish(p *Problem, e *evaluation, v *problem.Point, solved bool) bool {
	if w.active == nil || !w.active.WorthPolishing(solved) {
		return false
	}
	w.keep(p)
	before := *v
	if !w.active.Polish(p, solved) {
		return false
	}
	if !e.test(p, w.pull, v, !solved) {
		copy(p.Y, w.keptY)
		copy(p.Dual, w.keptDual)
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
	w.last, w.keptY = w.last[:0], w.keptY[:0]
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
		if v.Violation > s.FeasibilityTolerance && (v.Violation > violation/2 || progress == Settled) && w.farkas(p) {
			return Infeasible
		}
		violation = v.Violation
		if own, ok := w.solver.(problem.OwnRule); ok && v.Violation <= s.FeasibilityTolerance {
			if has, holds := own.OwnRule(); has && holds {
				return OwnRule
			}
		}
		if hard && !deadline.Open() {
			w.keepFeasible(p, v, s.FeasibilityTolerance)
		}
		stop := NotRun
		switch {
		case progress == Settled:
			stop = NoProgress
		case progress == Refused:
			stop = TooLarge
		case p.Stats.Iterations >= s.MaxIterations:
			stop = IterationLimit
		case deadline.Passed():
			stop = TimeLimit
			w.lastFeasible(p, v, s.FeasibilityTolerance)
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

// keepFeasible keeps the point if it is feasible: the next one may not be, and it may
// be the last.
func (w *worker) keepFeasible(p *Problem, v *problem.Point, tolerance float64) {
	if v.Violation <= tolerance {
		w.keep(p)
	}
}

// lastFeasible goes back to the last feasible point, if there was one since the
// present one is not.
func (w *worker) lastFeasible(p *Problem, v *problem.Point, tolerance float64) {
	if v.Violation <= tolerance || len(w.keptY) != p.Targets {
		return
	}
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
	if r := e.settings.Recorder; r != nil {
		r(Record{Instance: e.instance, Component: e.component, Iteration: p.Stats.Iterations,
			Primal: v.Primal + goal.Constant, Dual: v.Dual + goal.Constant, Violation: v.Violation, Stats: p.Stats})
	}
	return goal.Met(v, 1) || settled && goal.MetButGap(v, 1) && v.Gap() <= min(p.Rounding(pull), 1e-7)
}
